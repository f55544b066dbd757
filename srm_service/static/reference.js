// Mends what Swagger UI leaves unnamed, out of order, or one control within another.
const root = document.getElementById("swagger-ui");

function mend() {
  for (const select of root.querySelectorAll("select:not([aria-label], [id])")) {
    select.setAttribute("aria-label", "Choice");
  }
  for (const text of root.querySelectorAll("textarea:not([aria-label])")) {
    text.setAttribute("aria-label", "Request body");
  }
  for (const heading of root.querySelectorAll(":is(h3, h4, h5):not([aria-level])")) {
    heading.setAttribute("aria-level", String(Number(heading.tagName.slice(1)) - 1));
  }
  const about = root.querySelector(".information-container:not([role])");
  about?.setAttribute("role", "region");
  about?.setAttribute("aria-label", "About this API");
  // The button around the path opens the operation, and the address follows.
  for (const link of root.querySelectorAll(".opblock-summary-control a[href]")) {
    link.removeAttribute("href");
  }
  for (const example of root.querySelectorAll("pre.microlight:not([tabindex])")) {
    example.setAttribute("tabindex", "0");
  }
}

new MutationObserver(mend).observe(root, { childList: true, subtree: true });
