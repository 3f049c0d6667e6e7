// Searches the sections of the documentation.
import MiniSearch from './minisearch.js';

/** Words of questions that say nothing about the page that answers them. */
const STOP_WORDS = new Set(
  (
    'a an and are as at be can do does for from how i if in is it me my of on or should that the there this to we what when where which ' +
    'who why will with you your'
  ).split(' '),
);

export function createSearch(sections) {
  const search = new MiniSearch({
    idField: 'address',
    fields: ['heading', 'page', 'text'],
    storeFields: ['heading', 'page', 'text'],
    searchOptions: {
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      boost: { heading: 4, page: 2 },
    },
  });
  search.addAll(sections);
  return search;
}

/** Returns sections with all words of the query, best first. If there are none, sections with some of them. */
export function findSections(search, query) {
  const words = query.toLowerCase().split(/[^\p{L}\p{N}_.-]+/u);
  const telling = words.filter((word) => !STOP_WORDS.has(word)).join(' ');
  const searched = telling.trim() === '' ? query : telling;
  const found = search.search(searched, { combineWith: 'AND' });
  return found.length > 0 ? found : search.search(searched, { combineWith: 'OR' });
}
