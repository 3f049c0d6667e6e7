// Renders docs/ into site/dist: a page per Markdown file, the texts for the search, and the assets of the layout. It is plain JavaScript,
// so that the type check of the server does not need the types of these packages.

import { copyFileSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { addressOf, CHANGELOG } from './addresses.mjs';
import { isFilled, isOfProject, markDefaults, markSettings } from './fill-marks.mjs';
import { pageHtml } from './layout.mjs';
import { createRenderer } from './render.mjs';

/** The server sends this page for every unknown address below /docs/, with its links changed to fit. It has only relative links. */
const NOT_FOUND = '404.md';

const root = fileURLToPath(new URL('../..', import.meta.url));
const docs = path.join(root, 'docs');
const target = path.join(root, 'site', process.argv[2] ?? 'dist');

const files = [...globSync('**/*.md', { cwd: docs }).map((file) => file.replaceAll('\\', '/')), CHANGELOG];
const entrances = readLinks('index.md')[0].pages.map((page) => ({ ...page, groups: readLinks(page.file) }));
const sections = [];
const images = new Set();

rmSync(target, { recursive: true, force: true });
for (const file of [...files, NOT_FOUND]) {
  const source = file === NOT_FOUND ? path.join(root, 'site/src/not-found.md') : path.join(docs, file);
  const page = createRenderer(file, files).render(readFileSync(source, 'utf8'));
  const fill = isFilled(file) ? markDefaults : (text) => text;
  const html = pageHtml({
    ...page,
    html: breakNames(markSettings(fill(page.html))),
    file,
    entrances,
    entrance: entranceOf(file),
  });
  write(`${addressOf(file).replace(/(^|\/)$/, '$1index')}.html`, html);
  if (!isOfProject(file) && file !== NOT_FOUND) {
    sections.push(...page.sections.map((section) => ({ ...section, text: fill(section.text, (text) => text) })));
  }
  for (const image of page.images) images.add(image);
}
write('search.json', JSON.stringify(sections));
write(
  'llms.txt',
  markDefaults(llmsText(), (text) => text),
);
for (const image of images) {
  mkdirSync(path.dirname(path.join(target, image)), { recursive: true });
  copyFileSync(path.join(docs, image), path.join(target, image));
}
cpSync(path.join(root, 'site/assets'), path.join(target, 'assets'), { recursive: true });
copyFileSync(fileURLToPath(import.meta.resolve('minisearch')), path.join(target, 'assets/minisearch.js'));

/**
 * Reads the lists of links of a page with their headings. The first list of the index has the entrances, a page for each kind of reader;
 * the lists of an entrance are the navigation of its pages.
 */
function readLinks(from) {
  const text = readFileSync(path.join(docs, from), 'utf8');
  return text
    .split(/^## /m)
    .slice(1)
    .map((part) => ({
      title: part.split('\n', 1)[0],
      pages: Array.from(
        part.matchAll(/^- \[(.+?)\]\((.+?\.md)\)(?:: (.+(?:\n {2}.+)*))?/gm),
        ([, title, link, text = '']) => {
          const about = text.replaceAll(/\s+/g, ' ');
          return { title, file: path.posix.join(path.posix.dirname(from), link), about };
        },
      ),
    }));
}

/** Lists the pages for language models, in the format of llmstxt.org. The server shows it at /llms.txt. */
function llmsText() {
  const base = 'http://127.0.0.1:8080';
  const readers = entrances.filter(({ file }) => !isOfProject(file));
  const lists = readers.map(({ title, groups }) => {
    const pages = groups.flatMap((group) => group.pages);
    const lines = pages.map(({ title, file, about }) => `- [${title}](${base}/docs/${addressOf(file)}): ${about}`);
    return `## ${title}\n\n${lines.join('\n')}\n`;
  });
  return `# ⟦brand|Offerbook⟧

> The listing desk of a marketplace: merchants list offers, keep prices and stock up to date, and see why an offer is not live.

The API is at ${base}, described by ${base}/openapi.json. Agents connect as ${base}/docs/guides/connect-an-agent says.

${lists.join('\n')}`;
}

/** Returns the first entrance that lists the page. A listed README also stands for the other pages of its folder. */
function entranceOf(file) {
  const isListed = (listed) =>
    file === listed || (listed.endsWith('/README.md') && file.startsWith(listed.replace('README.md', '')));
  return entrances.find((entrance) => {
    return file === entrance.file || entrance.groups.some(({ pages }) => pages.some((page) => isListed(page.file)));
  });
}

/** Lets long names in the first column break after an underscore, because a phone has no room for them. */
function breakNames(html) {
  return html.replaceAll(/<tr>\s*<td>.*?<\/td>/gs, (cell) =>
    cell.replaceAll(/<code>[^<⟦]*<\/code>/g, (code) => code.replaceAll('_', '_<wbr>')),
  );
}

function write(name, text) {
  const file = path.join(target, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
