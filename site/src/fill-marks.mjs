// Marks the defaults in built pages that the server replaces by its own values: `⟦key|default⟧`, read by src/http/docs-page/fill.ts.
// In Markdown, the defaults are plain text, except settings, which are marked: `<!-- setting: NAME -->3,000<!-- end -->`.

import { NEUTRAL_NAMES, RENAMED_FIELDS } from '../../src/domain/names.ts';

const PROJECT = /^(?:project|decisions)\//;
/** Pages that keep the defaults, because their readers operate this server. */
const OPERATE = /^operate\//;

const SETTING = /<!-- setting: ([A-Z_]+) -->(.*?)<!-- end -->/g;

/** Whether the page is for people who work on the project. It keeps the defaults, and the search does not find it. */
export function isOfProject(file) {
  return PROJECT.test(file);
}

export function isFilled(file) {
  return !isOfProject(file) && !OPERATE.test(file);
}

export function markSettings(html) {
  return html.replaceAll(SETTING, '⟦$1|$2⟧').replaceAll(/<!--[\s\S]*?-->\n?/g, '');
}

/** `spell` converts a literal to the form in which the text contains it. */
export function markDefaults(text, spell = htmlText) {
  const marked = new Map([
    ['http://127.0.0.1:8080', 'base'],
    ['http://localhost:8080', 'base'],
    ['http://127.0.0.1:8081', 'images'],
    [NEUTRAL_NAMES.reviewStatus, 'review_status'],
    ...RENAMED_FIELDS.map((field) => [field, field]),
    ...NEUTRAL_NAMES.carriers.map((carrier, at) => [spell(carrier), `carrier_${at + 1}`]),
  ]);
  const literals = new RegExp([...marked.keys()].map((literal) => `${literal}(?!\\w)`).join('|'), 'g');
  return text.replaceAll(literals, (literal) => `⟦${marked.get(literal)}|${literal}⟧`);
}

function htmlText(text) {
  return text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
