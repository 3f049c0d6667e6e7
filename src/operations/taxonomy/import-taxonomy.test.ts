/** Tests that a file of either format is imported as a whole, or refused with every wrong line. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isRun } from '../../../test/harness/scope.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { StoredTaxonomy, TaxonomyStore } from '../../store/port/settings.ts';
import { LineFault } from '../text-lines.ts';
import { importTaxonomy } from './import-taxonomy.ts';

const HUGE = '9223372036854775807';
const HEADER = '{"offerbook_taxonomy": 1}';

/** A fake store that keeps the imported taxonomy in memory. */
class KeptTaxonomy implements TaxonomyStore {
  kept: StoredTaxonomy | undefined;
  async readTaxonomyHead() {
    return this.kept;
  }
  async readTaxonomy() {
    return this.kept;
  }
  async putTaxonomy(taxonomy: StoredTaxonomy) {
    this.kept = taxonomy;
  }
  async dropTaxonomy() {
    return 'unset' as const;
  }
  async countOffersByCategory() {
    return [];
  }
}

async function* once(lines: readonly (string | LineFault)[]) {
  yield lines;
}

const imported = (...lines: (string | LineFault)[]) => importedLines(lines);

async function importedLines(lines: readonly (string | LineFault)[]) {
  const store = new KeptTaxonomy();
  const outcome = await importTaxonomy({ store, nowMs: () => 5 }, once(lines), 'file');
  const problems = outcome.ok ? [] : outcome.problems.map(({ code, message }) => `${code}: ${message}`);
  if (!outcome.ok) assert.equal(store.kept, undefined, 'no part of a refused file is stored');
  return { lines: store.kept?.parts.join('\n').split('\n'), head: store.kept, problems };
}

/** As many words as a node may have, each as long as it may be. */
const WORDS = JSON.stringify(Array.from({ length: 30 }, (_, place) => `${place}`.padStart(50, 'w')));

describe("a file in Offerbook's format", () => {
  it('is stored in tree order, without default values, with exact ids', async () => {
    const { lines, head, problems } = await imported(
      HEADER,
      `  {"node": ${HUGE}, "parent": 2, "name": "Ünter \\"b\\"", "required": ["color"], "needs_code": true, "new_product_data": ["bullets"], "needs_group": false}`,
      '',
      '{"node": 2, "name": "B", "tax_code": "Candy", "active": true}',
      `{"attribute": "color", "id": ${HUGE}, "description": "Color", "variant": true, "values": ["Red"], "units": ["in"]}`,
      `{"node": 1, "name": "A", "active": false, "optional": [], "words": ${WORDS}}`,
    );
    assert.deepEqual(problems, []);
    assert.deepEqual(lines, [
      `{"attribute":"color","id":${HUGE},"description":"Color","variant":true,"values":["Red"],"units":["in"]}`,
      '{"node":2,"name":"B","tax_code":"Candy"}',
      `{"node":${HUGE},"parent":2,"name":"Ünter \\"b\\"","needs_group":false,"needs_code":true,"new_product_data":["bullets"],"required":["color"]}`,
      `{"node":1,"name":"A","words":${WORDS},"active":false}`,
    ]);
    assert.deepEqual([head?.source, head?.nodes, head?.importedMs], ['file', 3, 5]);
  });

  it('is refused if a node has too many everyday words, or too long or empty ones', async () => {
    const { problems } = await imported(
      HEADER,
      `{"node": 1, "name": "A", "words": ${JSON.stringify(Array(31).fill('a'))}}`,
      `{"node": 2, "name": "B", "words": ["${'a'.repeat(51)}", "", 1]}`,
      '{"node": 3, "name": "C", "words": []}',
    );
    assert.deepEqual(problems, [
      'taxonomy_field: Line 2: words: must have 1 to 30 entries.',
      'taxonomy_field: Line 3: words[0]: must have 1 to 50 characters.',
      'taxonomy_field: Line 3: words[1]: must have 1 to 50 characters.',
      'taxonomy_field: Line 3: words[2]: must be a string, not a number.',
      'taxonomy_field: Line 4: words: must have 1 to 30 entries.',
    ]);
  });

  it('has the same tag for the same content only', async () => {
    const tagOf = async (...lines: string[]) => (await imported(HEADER, ...lines)).head?.tag;
    const tag = await tagOf('{"node":1,"name":"A"}');
    assert.match(tag ?? '', /^[\w-]{16}$/);
    assert.equal(await tagOf('', '{"name":"A" , "node":1}'), tag);
    assert.notEqual(await tagOf('{"node":1,"name":"B"}'), tag);
  });

  it('is cut into parts of 200 lines', async () => {
    const nodes = Array.from({ length: 401 }, (_, index) => `{"node":${index + 1},"name":"n${index}"}`);
    const { head, lines } = await imported(HEADER, ...nodes);
    assert.equal(head?.parts.length, 3);
    assert.deepEqual(lines, nodes);
  });

  it('may begin with a byte order mark and end its lines with carriage returns', async () => {
    const { lines } = await imported(`\uFEFF${HEADER}\r`, '{"node":1,"name":"A"}\r', '\r');
    assert.deepEqual(lines, ['{"node":1,"name":"A"}']);
  });

  it('is refused with all that is wrong, by line', async () => {
    const { problems } = await imported(
      HEADER,
      '{"node": 1, "name": "A", "tax_code": "Sweets", "colour": 1}',
      '{"node": 2,, "name": "x"}',
      '[]',
      '{"kind": "node"}',
      `{"node": ${HUGE}0, "name": ""}`,
      '{"node": "3", "parent": 1.5, "name": " x", "required": ["Color"]}',
      '{"node": 4, "parent": 77, "name": "a > b"}',
      '{"attribute": "A", "description": "", "id": 0, "data_type": "date", "values": []}',
      new LineFault(['must be UTF-8']),
      '{"node": 5, "name": "\\u0000"}',
    );
    assert.deepEqual(
      problems.map((text) => text.replace(/must be one of: .*/, 'must be one of …')),
      [
        'taxonomy_field: Line 2: tax_code: must be one of …',
        'taxonomy_field: Line 2: colour: unknown field.',
        'taxonomy_unreadable: Line 3: it is not JSON: unexpected character at column 12.',
        'taxonomy_unreadable: Line 4: must be a JSON object.',
        'taxonomy_unreadable: Line 5: must have "node" or "attribute".',
        'taxonomy_field: Line 6: node: must be a whole number from 1 to 9223372036854775807, in plain digits.',
        'taxonomy_field: Line 6: name: must not be empty.',
        'taxonomy_field: Line 7: node: must be a whole number from 1 to 9223372036854775807, in plain digits, not a string.',
        'taxonomy_field: Line 7: parent: must be a whole number from 1 to 9223372036854775807, in plain digits, not a number with a fraction.',
        'taxonomy_field: Line 7: required[0]: must be 1 to 64 lower-case letters, digits or underscores, a letter first.',
        'taxonomy_field: Line 7: name: must not start or end with a space.',
        'taxonomy_field: Line 8: name: must not contain ">", which separates the names of a path.',
        'taxonomy_field: Line 9: attribute: must be 1 to 64 lower-case letters, digits or underscores, a letter first.',
        'taxonomy_field: Line 9: id: must be a whole number from 1 to 9223372036854775807, in plain digits.',
        'taxonomy_field: Line 9: description: must have 1 to 200 characters.',
        'taxonomy_field: Line 9: data_type: must be one of …',
        'taxonomy_field: Line 9: values: must have 1 to 1000 entries.',
        'taxonomy_unreadable: Line 10: must be UTF-8.',
        'taxonomy_field: Line 11: name: must not contain NUL characters or unpaired surrogates.',
      ],
    );
  });

  it('reports faults of lines and tree together, and reports nothing as missing that may be on a faulty line', async () => {
    const { problems } = await imported(
      HEADER,
      '{"node": 1, "name": "A"}',
      '{"node": 1, "parent": 1, "name": "B", "required": ["x"]}',
      '{"node": 2, "parent": 3, "name": "C"}',
      '{"node": 3, "parent": 1, "name": ""}',
    );
    assert.deepEqual(problems, [
      'taxonomy_repeated: Line 3: the node 1 is already on line 2.',
      'taxonomy_field: Line 5: name: must not be empty.',
    ]);
  });

  it('lists 100 problems and says how many more there are', async () => {
    const bad = (count: number) => Array.from({ length: count }, () => '{}');
    assert.equal((await imported(HEADER, ...bad(100))).problems.length, 100);
    const { problems } = await imported(HEADER, ...bad(133));
    assert.deepEqual(problems.slice(99), [
      'taxonomy_unreadable: Line 101: must have "node" or "attribute".',
      'more_problems: And 33 more.',
    ]);
  });

  if (isRun('long')) {
    it('is refused properly even if every line is invalid, in the largest file', async () => {
      const nodes = Array.from({ length: 300_000 }, (_, index) => `{"node":${index + 2},"parent":1,"name":"${index}"}`);
      const { problems } = await importedLines([HEADER, ...nodes]);
      assert.deepEqual(
        [problems[0], problems.at(-1)],
        [
          'taxonomy_too_large: The file has 300000 nodes; at most 50000 are allowed.',
          `more_problems: And ${nodes.length + 1 - 100} more.`,
        ],
      );
    });
  }

  it('must start with a header of a known version, and have a node', async () => {
    const node = '{"node":1,"name":"A"}';
    assert.match((await imported(node)).problems[0] ?? '', /^taxonomy_field: Line 1: offerbook_taxonomy: is required/);
    assert.match((await imported('hello', node)).problems[0] ?? '', /^taxonomy_unreadable: Line 1: /);
    assert.deepEqual((await imported('{"offerbook_taxonomy": 2}', node)).problems, [
      'taxonomy_newer: Line 1: the file has format version 2, but this release supports only version 1.',
    ]);
    assert.deepEqual((await imported(HEADER)).problems, ['taxonomy_empty: The file has no nodes.']);
    assert.deepEqual((await imported()).problems, ['taxonomy_empty: The file has no nodes.']);
  });

  it('enforces the length limits of texts', async () => {
    const node = (name: string) => imported(HEADER, JSON.stringify({ node: 1, name }));
    assert.deepEqual((await node('😀'.repeat(LIMITS.taxonomy_name_characters_max))).problems, []);
    assert.deepEqual((await node('x'.repeat(LIMITS.taxonomy_name_characters_max + 1))).problems, [
      'taxonomy_field: Line 2: name: must have at most 200 characters.',
    ]);
    assert.deepEqual((await node('a\u2028b')).problems, [
      'taxonomy_field: Line 2: name: must not contain line breaks or other control characters.',
    ]);
  });

  it('is refused when it is larger than allowed', async () => {
    const padding = (bytes: number) => ' '.repeat(bytes);
    const room = LIMITS.taxonomy_file_bytes_max - Buffer.byteLength(HEADER) - 1 - '{"node":1,"name":"A"}'.length - 1;
    assert.deepEqual((await imported(HEADER, `{"node":1,"name":"A"}${padding(room)}`)).problems, []);
    assert.deepEqual((await imported(HEADER, `{"node":1,"name":"A"}${padding(room + 1)}`)).problems, [
      'taxonomy_too_large: The file has more than 16777216 bytes.',
    ]);
  });
});

describe("a file in the format of Google's product taxonomy", () => {
  const VERSION = '# Google_Product_Taxonomy_Version: 2030-01-01';

  it('has parents before or after their children', async () => {
    const { lines, problems } = await imported(
      VERSION,
      `${HUGE} - Garden > Tools > Forks & Spades`,
      '3 - Garden > Tools',
      '',
      '# a remark',
      '12 - Garden',
      '4 - Café - Bar',
    );
    assert.deepEqual(problems, []);
    assert.deepEqual(lines, [
      '{"node":12,"name":"Garden"}',
      '{"node":3,"parent":12,"name":"Tools"}',
      `{"node":${HUGE},"parent":3,"name":"Forks & Spades"}`,
      '{"node":4,"name":"Café - Bar"}',
    ]);
  });

  it('is recognized without the comment, with a byte order mark and with carriage returns', async () => {
    for (const lines of [
      ['1 - A', '2 - A > B'],
      [`\uFEFF${VERSION}\r`, '1 - A\r', '2 - A > B\r'],
    ]) {
      assert.deepEqual((await imported(...lines)).problems, []);
    }
  });

  it('is refused with all that is wrong, by line', async () => {
    const { problems } = await imported(
      VERSION,
      '1 - A',
      '0 - Zero',
      `${HUGE}0 - Too large`,
      'A > B',
      '5 A',
      '6 - A >  B',
      '7 - ',
      '1 - C',
      new LineFault(['must be UTF-8']),
    );
    const form = 'must have the form "id - name > name", with an id from 1 to 9223372036854775807.';
    assert.deepEqual(problems, [
      `taxonomy_unreadable: Line 3: ${form}`,
      `taxonomy_unreadable: Line 4: ${form}`,
      `taxonomy_unreadable: Line 5: ${form}`,
      `taxonomy_unreadable: Line 6: ${form}`,
      'taxonomy_unreadable: Line 7: a name in the path must not start or end with a space.',
      'taxonomy_unreadable: Line 8: a name in the path must not be empty.',
      'taxonomy_repeated: Line 9: the node 1 is already on line 2.',
      'taxonomy_unreadable: Line 10: must be UTF-8.',
    ]);
  });

  it('is refused if a parent is missing, a path is repeated or it is empty', async () => {
    assert.deepEqual((await imported(VERSION, '1 - A', '2 - A > B > C')).problems, [
      'taxonomy_parent: Line 3: node 2 has the parent "A > B", which does not exist.',
    ]);
    assert.deepEqual((await imported(VERSION, '1 - A', '2 - A > B', '3 - A > B')).problems, [
      'taxonomy_repeated: Line 4: the name under the same parent B is already on line 3.',
    ]);
    assert.deepEqual((await imported(VERSION)).problems, ['taxonomy_empty: The file has no nodes.']);
  });
});
