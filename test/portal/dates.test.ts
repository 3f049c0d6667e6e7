/** Tests how the portal reads and writes dates, and shows the server's problems with them at their fields. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { localDate, timeOf } from '../../portal/src/ui/forms/local-date.ts';
import '../harness/portal-alias.ts';
import { ROOT } from '../harness/suites.ts';

const { ApiError } = await import('../../portal/src/api/problem.ts');
const { sortProblems } = await import('../../portal/src/ui/forms/field-problems.ts');

const TIMES = ['2031-03-01T00:00:00.000Z', '2031-07-31T23:59:00.000Z'];

it('a field shows a time in the zone of the viewer, and reads it back', () => {
  for (const at of TIMES) {
    const text = localDate(at);
    assert.match(text, /^2031-\d\d-\d\dT\d\d:\d\d$/);
    assert.equal(new Date(text).getHours(), new Date(at).getHours());
    assert.equal(timeOf(text), at);
  }
  assert.equal(timeOf(''), undefined);
});

it('a problem with a query parameter is shown at the field of that name, any other above the form', () => {
  const early = { code: 'query_invalid', field: '', message: 'enforced_from: must be at least 1 hour ahead.' };
  const settled = { code: 'change_settled', field: '', message: 'This change was already applied or cancelled.' };
  assert.deepEqual(sortProblems(new ApiError(400, [early, settled]), ['enforced_from']), {
    atFields: { enforced_from: 'Must be at least 1 hour ahead.' },
    above: [settled],
  });
  assert.deepEqual(sortProblems(new ApiError(400, [early]), ['brand']), { atFields: {}, above: [early] });
});

it('no page formats dates in the language of the browser', () => {
  const pages = globSync('portal/src/**/*.{ts,tsx}', { cwd: ROOT });
  const inBrowserLanguage = /Format\(\s*(?:undefined|\))|toLocale\w*\(\)/;
  assert.match('new Intl.DateTimeFormat(undefined, {})', inBrowserLanguage);
  assert.deepEqual(
    pages.filter((page) => inBrowserLanguage.test(readFileSync(path.join(ROOT, page), 'utf8'))),
    [],
  );
});
