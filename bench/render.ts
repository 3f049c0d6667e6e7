/** Writes the results of the last run into docs/operate/performance.md, docs/project/proof.md and README.md. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { figureOf, markdownOf, RESULTS, type Result, withBlock } from './report.ts';

const ROOT = path.join(import.meta.dirname, '..');

/** The results that docs/operate/performance.md shows. */
export const PUBLISHED: readonly string[] = [
  'api',
  'overload-sqlite',
  'bulk-sqlite',
  'review-sqlite',
  'offers-sqlite',
  'portal',
  'postgres',
  'scale',
];

/** The results of `npm run prove`, which docs/project/proof.md shows. */
export const PROVEN: readonly string[] = [
  'proof-kills-sqlite',
  'proof-kills-postgres',
  'proof-power-cuts',
  'proof-model-sqlite',
  'proof-model-postgres',
  'proof-clients',
  'proof-hostile',
];

/** Renders the results that exist; the other blocks of the page stay. */
export function renderedPage(
  page: string,
  resultOf: (name: string) => Result | undefined,
  names: readonly string[] = PUBLISHED,
): string {
  return names.reduce((text, name) => {
    const result = resultOf(name);
    return result === undefined ? text : withBlock(text, name, markdownOf(result));
  }, page);
}

/** Other systems, measured earlier on one machine: price updates, creates, imported products each second, and memory. */
const OTHERS: readonly (readonly string[])[] = [
  ['Vendure 3.7.3', '95 to 117', '25 to 50', '40 to 187', '512 to 606 MB'],
  ['Medusa 2.21.2', '23', '13', '99 to 122', 'about 1 GB'],
];

/** Renders the comparison of README.md; undefined without the results it needs. */
export function comparison(api: Result | undefined, bulk: Result | undefined): string | undefined {
  if (api === undefined || bulk === undefined) return undefined;
  const rate = (call: string) => figureOf(api, call, 'Offerbook, requests/s') ?? '-';
  const memory = figureOf(bulk, 'memory at its highest (RssAnon), all three files, MB', 'measured') ?? '-';
  const imported = figureOf(bulk, 'MerchantSKUs, rows/s', 'measured') ?? '-';
  const own = ['Offerbook', rate('PUT price, new price'), rate('PUT sku, new SKU'), imported, `${memory} MB`];
  const head = ['', 'price updates/s', 'creates/s', 'import, products/s', 'memory'];
  return (
    [head, head.map(() => '---'), own, ...OTHERS].map((cells) => `| ${cells.join(' | ')} |`).join('\n') +
    `\n\nOfferbook was measured on ${api.date} on ${api.machine}.`
  );
}

if (import.meta.main) {
  const resultOf = (name: string): Result | undefined => {
    const file = path.join(RESULTS, `${name}.json`);
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Result) : undefined;
  };
  const edit = (file: string, change: (text: string) => string) => {
    const at = path.join(ROOT, file);
    writeFileSync(at, change(readFileSync(at, 'utf8')));
  };
  edit('docs/operate/performance.md', (page) => renderedPage(page, resultOf));
  edit('docs/project/proof.md', (page) => renderedPage(page, resultOf, PROVEN));
  const compared = comparison(resultOf('api'), resultOf('bulk-sqlite'));
  if (compared !== undefined) edit('README.md', (page) => withBlock(page, 'comparison', compared));
}
