// Defines the layout of all pages: head, navigation for the reader of the page, content, and a list of its headings.

import { addressOf, linkTo } from './addresses.mjs';

const API = 'api';

export function pageHtml({ file, title, html, headings, entrances, entrance }) {
  const to = (address) => linkTo(file, address);
  const listed = headings.filter(({ level }) => level === 2);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · ⟦brand|Offerbook⟧ docs</title>
<link rel="icon" href="${to('assets/icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${to('assets/site.css')}">
<script src="${to('assets/theme.js')}"></script>
<script type="module" src="${to('assets/site.js')}"></script>
</head>
<body data-root="${to('')}">
<a class="skip" href="#content">Skip to content</a>
<header class="bar">
<button class="icon-button menu-button" type="button" aria-expanded="false" aria-controls="pages" aria-label="Menu">☰</button>
<a class="brand" href="${to('')}"><b>⟦brand|Offerbook⟧</b> docs</a>
<div class="search" role="search">
<input type="search" placeholder="Search" aria-label="Search the documentation" aria-controls="results" autocomplete="off">
<kbd>/</kbd>
<ol id="results" hidden></ol>
</div>
<a class="bar-link" href="${to(API)}">API reference</a>
<a class="bar-link" href="${to('')}../portal/">Portal</a>
<button class="icon-button theme-button" type="button" aria-label="Light or dark">◐</button>
</header>
<div class="layout">
<nav id="pages" aria-label="Pages">
<ul class="entrances">${entrances.map((one) => entranceHtml(one, file, one === entrance)).join('\n')}
<li><a href="${to(API)}">API reference</a></li></ul>
${(entrance?.groups ?? []).map((group) => groupHtml(group, file)).join('\n')}
</nav>
<main id="content"${file === 'index.md' ? ' class="home"' : ''}>
${html}</main>
${listed.length < 2 ? '' : `<aside aria-label="On this page"><h2>On this page</h2>\n<ul>${listed.map(headingHtml).join('\n')}</ul></aside>`}
</div>
</body>
</html>
`;
}

/** Marks the entrance to which the page belongs. */
function entranceHtml(entrance, file, isOwn) {
  const state = file === entrance.file ? current(true) : isOwn ? ' aria-current="true"' : '';
  return `<li><a href="${linkTo(file, addressOf(entrance.file))}"${state}>${escaped(entrance.title)}</a></li>`;
}

function groupHtml({ title, pages }, file) {
  const links = pages.map(
    (page) =>
      `<li><a href="${linkTo(file, addressOf(page.file))}"${current(page.file === file)}>${escaped(page.title)}</a></li>`,
  );
  return `<h2>${escaped(title)}</h2>\n<ul>${links.join('\n')}</ul>`;
}

function headingHtml({ id, title }) {
  return `<li><a href="#${encodeURIComponent(id)}">${escaped(title)}</a></li>`;
}

function current(isCurrent) {
  return isCurrent ? ' aria-current="page"' : '';
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
