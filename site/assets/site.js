// Runs the search, the menu on phones, and the copy buttons of code blocks. Pages work without this script.
import { createSearch, findSections } from './search.js';

const RESULTS_MAX = 12;
const EXCERPT_CHARACTERS = 140;
const SUGGESTIONS_MAX = 5;

const root = new URL(document.body.dataset.root, location.href);
const input = document.querySelector('.search input');
const results = document.getElementById('results');
let loading;

/** Fetches the search texts when the search is first used. */
async function loadSearch() {
  const response = await fetch(new URL('search.json', root));
  if (!response.ok) throw new Error(`The search could not be loaded: ${response.status}`);
  return createSearch(await response.json());
}

async function showResults() {
  const query = input.value.trim();
  loading ??= loadSearch();
  const search = await loading;
  if (query !== input.value.trim()) return;
  const found = findSections(search, query).slice(0, RESULTS_MAX);
  results.replaceChildren(...(found.length === 0 ? [emptyItem()] : found.map(resultItem)));
  results.hidden = query === '';
}

function resultItem({ id, page, heading, text, terms }) {
  const link = document.createElement('a');
  link.href = new URL(id, root);
  const title = document.createElement('b');
  title.textContent = heading === page ? page : `${page} › ${heading}`;
  const excerpt = document.createElement('span');
  excerpt.textContent = excerptOf(text, terms);
  link.append(title, excerpt);
  const item = document.createElement('li');
  item.append(link);
  return item;
}

function emptyItem() {
  const item = document.createElement('li');
  item.className = 'empty';
  item.textContent = 'Nothing found';
  return item;
}

function excerptOf(text, terms) {
  // The longest matching word shows the best place for the excerpt.
  const places = terms
    .toSorted((one, other) => other.length - one.length)
    .map((term) => text.toLowerCase().indexOf(term));
  const start = Math.max(0, (places.find((at) => at >= 0) ?? 0) - 40);
  const from = start === 0 ? 0 : text.indexOf(' ', start) + 1;
  const cut = text.slice(from, from + EXCERPT_CHARACTERS);
  return `${from === 0 ? '' : '… '}${cut}${text.length > from + EXCERPT_CHARACTERS ? ' …' : ''}`;
}

function moveFocus(event) {
  const stops = [input, ...results.querySelectorAll('a')];
  const at = stops.indexOf(document.activeElement);
  if (event.key === 'Escape') {
    input.value = '';
    results.hidden = true;
    input.blur();
  } else if (event.key === 'Enter' && at === 0) {
    stops[1]?.click();
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    stops[(at + (event.key === 'ArrowDown' ? 1 : stops.length - 1)) % stops.length]?.focus();
  }
}

input.addEventListener('input', showResults);
input.closest('.search').addEventListener('keydown', moveFocus);
addEventListener('click', (event) => {
  if (event.target.closest('.search') === null) results.hidden = true;
});
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.closest('input, textarea, select')) return;
  event.preventDefault();
  input.focus();
});

/** On the page for unknown addresses, searches for the words at the end of the address. */
async function suggestPages(list) {
  const name = location.pathname.replace(/\/+$/, '').split('/').at(-1);
  const words = name.split(/[^\p{L}\p{N}]+/u);
  loading ??= loadSearch();
  const found = findSections(await loading, words.join(' ')).slice(0, SUGGESTIONS_MAX);
  list.replaceChildren(...found.map(resultItem));
  list.previousElementSibling.hidden = found.length === 0;
}

const suggestions = document.getElementById('suggestions');
if (suggestions !== null) suggestPages(suggestions);

const menu = document.querySelector('.menu-button');
menu.addEventListener('click', () => {
  const isOpen = document.body.classList.toggle('menu-open');
  menu.setAttribute('aria-expanded', String(isOpen));
});
document.querySelector('#pages [aria-current="page"]')?.scrollIntoView({ block: 'nearest' });

// Browsers allow the clipboard only on pages from HTTPS or localhost.
const blocks = navigator.clipboard === undefined ? [] : document.querySelectorAll('pre > code');
for (const code of blocks) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
  const block = document.createElement('div');
  block.className = 'code';
  code.parentElement.replaceWith(block);
  block.append(code.parentElement, button);
}
