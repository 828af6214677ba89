// Replaces what the page shows by what it would show if it were loaded now; what a reader has opened stays open. When
// nothing answers any more, what was shown last stays.
const gone = document.getElementById("gone");
const opened = (page) => [...page.querySelectorAll("details")];
async function refresh() {
  try {
    const answer = await fetch(location.pathname, { cache: "no-store" });
    const now = new DOMParser().parseFromString(await answer.text(), "text/html");
    const known = new Map(opened(document).map((d) => [d.firstChild.textContent, d.open]));
    for (const d of opened(now)) d.open = known.get(d.firstChild.textContent) ?? d.open;
    document.querySelector("main").replaceWith(now.querySelector("main"));
    document.title = now.title;
    gone.hidden = true;
    prepare();
  } catch {
    gone.hidden = false;
  }
  setTimeout(refresh, 2000);
}
setTimeout(refresh, 2000);
