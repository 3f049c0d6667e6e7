/** Tests that pages which repeat facts of the code agree with it: pages of lists, and the codes of errors by symptom. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { LIMITS } from '../../src/domain/limits.ts';
import type { ProblemCode } from '../../src/domain/problem.ts';
import { problemStatus } from '../../src/http/answers/problem-status.ts';
import { ENDPOINTS } from '../../src/http/routes.ts';

const read = (page: string) => readFileSync(path.resolve(import.meta.dirname, '../../docs', page), 'utf8');

it('the page on pagination lists every call with pages, its default and its maximum', () => {
  const described = ENDPOINTS.filter(({ path: route }) => !route.startsWith('/marketplace')).flatMap(
    ({ method, path: route, query }) => {
      const { description = '', schema } = query?.limit ?? {};
      const [, fallback = ''] = /default is ([\d,]+)/.exec(description) ?? [];
      const { maximum } = (schema ?? {}) as { maximum?: number };
      return maximum === undefined ? [] : [`\`${method} ${route}\` | ${fallback} | ${maximum.toLocaleString('en-US')}`];
    },
  );
  const rows = Array.from(
    read('reference/pagination.md').matchAll(/^\| (`GET \S+` \| \d+ \| [\d,]+) \|/gm),
    ([, row]) => row,
  );
  assert.ok(described.length > 5);
  assert.deepEqual(rows.toSorted(), described.toSorted());
});

it('the codes of errors by symptom have the status that the page names', () => {
  const named = Array.from(
    read('guides/errors-by-symptom.md').matchAll(/^\| (\d{3}) ((?:`\w+`(?:,| or)? ?)+)/gm),
    ([, status, codes = '']) =>
      Array.from(codes.matchAll(/`(\w+)`/g), ([, code]) => ({ status: Number(status), code })),
  ).flat();
  assert.ok(named.length > 15);
  for (const { status, code } of named) assert.equal(problemStatus(code as ProblemCode), status, code);
});

it('amounts have the bounds that the page on currency names', () => {
  const { amount_min, amount_max } = LIMITS;
  const bounds = `from ${amount_min} to ${amount_max.toLocaleString('en-US')}`;
  assert.ok(read('explanation/currency-and-taxes.md').includes(bounds), bounds);
});
