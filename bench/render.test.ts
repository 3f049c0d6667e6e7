/** Tests that docs/operate/performance.md and README.md have the blocks that `npm run bench` writes, and how it writes them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { API_COLUMNS } from './api-table.ts';
import { figureCells } from './floors.ts';
import { comparison, PROVEN, PUBLISHED, renderedPage } from './render.ts';
import { markdownOf, type Result, withBlock } from './report.ts';

const read = (file: string) => readFileSync(path.join(import.meta.dirname, '..', file), 'utf8');
const PAGE = 'docs/operate/performance.md';

function resultOf(columns: readonly string[], rows: readonly (readonly string[])[]): Result {
  const run = { command: 'node bench/api.ts', date: '2026-01-31', machine: '2 cores', version: '0.1.0 (abc)' };
  return { ...run, notes: ['10 SKUs'], tables: [{ title: 'API calls', columns, rows }] };
}

const SAMPLE = resultOf(['call', 'rate'], [['PUT a|b', '1,000']]);
const SAMPLE_TEXT =
  '- `node bench/api.ts` on 2026-01-31, version 0.1.0 (abc), on 2 cores.\n- 10 SKUs.\n\n' +
  '| call | rate |\n| --- | --- |\n| PUT a\\|b | 1,000 |';

describe('the page of the benchmarks', () => {
  it('is replaced between its markers only', () => {
    assert.equal(markdownOf(SAMPLE), SAMPLE_TEXT);
    const page = 'a\n<!-- bench: api -->\nold\n<!-- end of bench: api -->\nb';
    assert.equal(
      withBlock(page, 'api', markdownOf(SAMPLE)),
      `a\n<!-- bench: api -->\n\n${SAMPLE_TEXT}\n\n<!-- end of bench: api -->\nb`,
    );
  });

  for (const [file, names] of [
    [PAGE, PUBLISHED],
    ['docs/project/proof.md', PROVEN],
  ] as const) {
    it(`has a block for every published result in ${file}`, () => {
      const page = renderedPage(read(file), () => SAMPLE, names);
      assert.equal(page.split(SAMPLE_TEXT).length - 1, names.length);
      assert.equal(page.split('<!-- bench: ').length - 1, names.length);
    });
  }

  it('keeps the blocks of benchmarks that were not run', () => {
    assert.equal(
      renderedPage(read(PAGE), () => undefined),
      read(PAGE),
    );
  });
});

describe('the comparison of README.md', () => {
  it('takes the figures of Offerbook from the results', () => {
    const cells = (call: string, rate: string) => API_COLUMNS.map((_, at) => (at === 0 ? call : at === 3 ? rate : ''));
    const api = resultOf(API_COLUMNS, [cells('PUT price, new price', '9,000'), cells('PUT sku, new SKU', '3,000')]);
    const figures = [
      { what: 'MerchantSKUs', value: 20_000, unit: 'rows/s' },
      { what: 'memory at its highest (RssAnon), all three files', value: 250, unit: 'MB' },
    ].map((figure) => figureCells(figure, undefined, false));
    const text = comparison(api, resultOf(['what', 'measured', 'required', 'verdict'], figures)) ?? '';
    assert.match(text, /^\| Offerbook \| 9,000 \| 3,000 \| 20,000 \| 250 MB \|$/m);
    assert.match(withBlock(read('README.md'), 'comparison', text), /\| Vendure 3\.7\.3 \|.+\n\| Medusa 2\.21\.2 \|/);
  });
});

describe('a figure', () => {
  const figure = { what: 'rate', value: 50, unit: 'rows/s', floor: 60 };
  const noise = { stolen: 0.5, others: 0 };

  it('has the verdict on its requirement', () => {
    assert.deepEqual(figureCells(figure, undefined, false), ['rate, rows/s', '50.0', '>= 60.0', 'missed']);
  });

  it('of a noisy machine is neither shown nor missed', () => {
    const verdict = 'too noisy: 50 % stolen';
    assert.deepEqual(figureCells(figure, noise, false), ['rate, rows/s', '-', '>= 60.0', verdict]);
    assert.deepEqual(figureCells(figure, noise, true), ['rate, rows/s', '~50.0', '>= 60.0', verdict]);
    assert.equal(figureCells({ ...figure, unit: 'us/row' }, noise, false)[1], '~50.0');
    assert.equal(figureCells({ ...figure, unit: 'MB' }, noise, false)[3], 'missed');
  });
});
