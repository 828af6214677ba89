"use strict";
// Replaces what the page shows by what it would show if it were loaded now. When nothing answers any more, what was
// shown last stays.
const gone = document.getElementById("gone");
async function refresh() {
  try {
    const answer = await fetch(location.pathname, { cache: "no-store" });
    const now = new DOMParser().parseFromString(await answer.text(), "text/html");
    document.querySelector("main").replaceWith(now.querySelector("main"));
    document.title = now.title;
    gone.hidden = true;
  } catch {
    gone.hidden = false;
  }
  setTimeout(refresh, 2000);
}
setTimeout(refresh, 2000);
