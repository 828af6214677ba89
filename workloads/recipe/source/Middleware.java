import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A wholesale company in memory, as middleware keeps it: one warehouse and one thread per core. Threads take orders,
 * payments, deliveries and questions for their own warehouse, and one in ten for another. At the end the money that
 * has been paid is counted in two ways.
 *
 * Arguments: threads, transactions per thread before the region of interest, transactions within it, and the library
 * with the mark of its beginning.
 */
final class Middleware {
    static final int ARTICLES = 20000, CUSTOMERS = 2000, OLD_ORDERS = 2000;

    record Article(String name, int price) {}

    record Line(Article article, int count) {
        long price() { return (long) article.price * count; }
    }

    static final class Order {
        final int number;
        final String customer;
        final Line[] lines;
        boolean delivered;

        Order(int number, String customer, Line[] lines) {
            this.number = number;
            this.customer = customer;
            this.lines = lines;
        }

        long price() {
            long sum = 0;
            for (Line l : lines) sum += l.price();
            return sum;
        }

        String toXML() {
            StringBuilder text = new StringBuilder("<order number=\"").append(number).append("\" customer=\"").append(customer).append("\">");
            for (Line l : lines)
                text.append("<line article=\"").append(l.article.name).append("\" count=\"").append(l.count).append("\"/>");
            return text.append("</order>").toString();
        }
    }

    static final class Customer {
        long owes, paid;
        final ArrayDeque<String> letters = new ArrayDeque<>();
    }

    /** A warehouse is its own lock. */
    static final class Warehouse {
        final int[] stock = new int[ARTICLES];
        final HashMap<String, Customer> customers = new HashMap<>();
        final TreeMap<Integer, Order> orders = new TreeMap<>();
        final ArrayDeque<Order> waiting = new ArrayDeque<>();
        int nextOrder;

        Warehouse() {
            java.util.Arrays.fill(stock, 500);
            for (int i = 0; i < CUSTOMERS; i++) customers.put(customerName(i), new Customer());
        }

        synchronized void take(String customer, Line[] lines) {
            for (Line l : lines) {
                int article = Integer.parseInt(l.article.name.substring(1));
                stock[article] -= l.count;
                if (stock[article] < 50) stock[article] += 500;
            }
            Order order = new Order(nextOrder++, customer, lines);
            orders.put(order.number, order);
            waiting.add(order);
            customers.get(customer).owes += order.price();
            if (orders.size() > OLD_ORDERS) orders.pollFirstEntry();
        }

        synchronized void pay(String name, int amount) {
            Customer customer = customers.get(name);
            customer.owes -= amount;
            customer.paid += amount;
            customer.letters.add("received " + amount + " from " + name);
            if (customer.letters.size() > 10) customer.letters.poll();
        }

        synchronized void deliver() {
            for (int i = 0; i < 8 && !waiting.isEmpty(); i++) {
                Order order = waiting.poll();
                order.delivered = true;
                Customer customer = customers.get(order.customer);
                customer.letters.add("sent " + order.number);
                if (customer.letters.size() > 10) customer.letters.poll();
            }
        }

        synchronized String lastOrder(String customer) {
            for (Order order : orders.descendingMap().values())
                if (order.customer.equals(customer)) return order.toXML();
            return "<none/>";
        }

        synchronized int scarce(int limit) {
            int count = 0;
            for (int s : stock) if (s < limit) count++;
            return count;
        }

        synchronized long paid() {
            long sum = 0;
            for (Customer c : customers.values()) sum += c.paid;
            return sum;
        }
    }

    static String customerName(int i) { return "customer-" + i; }

    static final Article[] articles = new Article[ARTICLES];
    static Warehouse[] warehouses;
    static final AtomicLong paid = new AtomicLong();

    /** The mark: a function of a library, because Java has no way to place an instruction. */
    static native void begin();

    static long work(int home, int transactions, SplittableRandom random) {
        long seen = 0;
        for (int i = 0; i < transactions; i++) {
            int at = random.nextInt(10) == 0 ? random.nextInt(warehouses.length) : home;
            Warehouse w = warehouses[at];
            String customer = customerName(random.nextInt(CUSTOMERS));
            int kind = random.nextInt(100);
            if (kind < 45) {
                Line[] lines = new Line[3 + random.nextInt(10)];
                for (int l = 0; l < lines.length; l++)
                    lines[l] = new Line(articles[random.nextInt(ARTICLES)], 1 + random.nextInt(9));
                w.take(customer, lines);
            } else if (kind < 85) {
                int amount = 1 + random.nextInt(3000);
                w.pay(customer, amount);
                paid.addAndGet(amount);
            } else if (kind < 90) {
                w.deliver();
            } else if (kind < 95) {
                seen += w.lastOrder(customer).length();
            } else {
                seen += w.scarce(100);
            }
        }
        return seen;
    }

    public static void main(String[] arguments) throws Exception {
        int threads = Integer.parseInt(arguments[0]), before = Integer.parseInt(arguments[1]), within = Integer.parseInt(arguments[2]);
        System.load(arguments[3]);
        SplittableRandom prices = new SplittableRandom(1);
        for (int i = 0; i < ARTICLES; i++) articles[i] = new Article("a" + i, 1 + prices.nextInt(200));
        warehouses = new Warehouse[threads];
        for (int i = 0; i < threads; i++) warehouses[i] = new Warehouse();

        CyclicBarrier warm = new CyclicBarrier(threads, Middleware::begin);
        AtomicLong seen = new AtomicLong();
        Thread[] workers = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            int home = i;
            workers[i] = new Thread(() -> {
                SplittableRandom random = new SplittableRandom(100 + home);
                long sum = work(home, before, random);
                try {
                    warm.await();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
                seen.addAndGet(sum + work(home, within, random));
            });
        }
        for (Thread t : workers) t.start();
        for (Thread t : workers) t.join();
        long sum = 0;
        for (Warehouse w : warehouses) sum += w.paid();
        System.out.println("middleware: " + threads * (long) (before + within) + " transactions, " + seen + " letters and articles seen, paid "
                + sum + "; " + (sum == paid.get() ? "verified" : "NOT VERIFIED"));
        if (sum != paid.get()) System.exit(1);
    }
}
