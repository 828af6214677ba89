// node read.js READER FOLDER: prints what a reader finds in tables of a folder, as JSON. For each table its
// columns; of the runs, router and cycles; of the links, the sum of the phits.
const { readFileSync } = require("fs")
const { createRequire } = require("module")
const path = require("path")

const [reader, folder] = process.argv.slice(2)
const load = createRequire(path.join(process.env.CAROUSEL_NODE_MODULES, "any.js"))
const names = ["runs", "routers", "links", "latency", "cores", "epochs", "distributions", "classes", "summary"]
const file = (name, ending) => path.join(folder, name + "." + ending)
const plain = (key, value) => (typeof value === "bigint" ? Number(value) : value)

const readers = {
  async arrow() {
    const { tableFromIPC } = load("apache-arrow")
    const columns = {}, tables = {}
    for (const name of names) {
      tables[name] = tableFromIPC(readFileSync(file(name, "arrow")))
      columns[name] = tables[name].schema.fields.map(f => f.name)
      for (const f of tables[name].schema.fields) {
        if (!f.metadata.get("doc")) throw new Error(`${name}.${f.name} has no sentence`)
      }
    }
    const phits = [...tables.links.getChild("phits")].reduce((a, b) => a + b, 0n)
    return { columns, runs: tables.runs.toArray().map(r => [r.router, r.cycles]), phits }
  },
  async polars() {
    const pl = load("nodejs-polars")
    const columns = {}, tables = {}
    for (const name of names) {
      tables[name] = pl.readIPC(readFileSync(file(name, "arrow")))
      columns[name] = tables[name].columns
      if (String(pl.readParquet(file(name, "parquet")).columns) !== String(columns[name])) throw new Error(`${name}: Parquet has other columns`)
    }
    return { columns, runs: tables.runs.select("router", "cycles").rows(), phits: tables.links.getColumn("phits").sum() }
  },
  async duckdb() {
    const duckdb = load("@duckdb/node-api")
    const connection = await (await duckdb.DuckDBInstance.create()).connect()
    const rows = async query => (await connection.runAndReadAll(query)).getRows()
    const columns = {}
    for (const name of names) {
      columns[name] = (await rows(`describe select * from '${file(name, "parquet")}'`)).map(r => r[0])
      for (const c of columns[name]) await rows(`select ${c} from '${file(name, "parquet")}' limit 1`) // without quotes
    }
    await rows(`select * from '${file("links", "parquet")}' join '${file("runs", "parquet")}' using (run_key)`)
    return {
      columns,
      runs: await rows(`select router, cycles from '${file("runs", "parquet")}'`),
      phits: (await rows(`select sum(phits)::bigint from '${file("links", "parquet")}'`))[0][0],
    }
  },
}
readers[reader]().then(found => console.log(JSON.stringify(found, plain)))
