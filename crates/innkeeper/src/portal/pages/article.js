// Shows an article, which the hosting server has under the path of this page.
import { get, image, mails, portal, say, the } from "./page.js";

mails(() => {});

const kind = location.pathname.split("/")[1];
const address = `${portal.hosting_url}/${kind}/article?path=${encodeURIComponent(decodeURIComponent(location.pathname))}`;

try {
  const article = await get(address);
  document.title = `${article.title} · Innkeeper`;
  the("title").textContent = article.title;
  the("about").textContent = [article.category, article.date, article.author, article.readTime].filter(Boolean).join(" · ");
  // The server has sanitised the HTML, and the content security policy of this page allows no inline script.
  const { body } = new DOMParser().parseFromString(article.html, "text/html");
  for (const picture of body.querySelectorAll("img[src^='/']")) {
    const path = picture.getAttribute("src");
    picture.src = path.startsWith("/v1/") ? new URL(path, portal.hosting_url).href : image(path);
  }
  the("body").append(...body.childNodes);
  the("api").textContent = the("api").href = address;
  the("article").hidden = the("source").hidden = false;
} catch {
  say("The article does not exist, or the hosting server does not respond.", true);
}
