/** Tests that every format gives the same rows, however its bytes arrive, and that its errors name the line and the column. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { LIMITS } from '../../domain/limits.ts';
import { Names, NEUTRAL_NAMES } from '../../domain/names.ts';
import { sheetRows } from '../../domain/sheets/write-rows.ts';
import type { FileType, SheetType } from '../../domain/vocabulary/file-types.ts';
import { checkRows } from '../rows/check-rows.ts';
import type { Entry } from '../rows/entry.ts';
import { readEntries } from '../rows/read-entries.ts';
import { FileEngine, NODE, SKU_BODY } from '../testing/file-engine.ts';
import { HEAD_BYTES_MAX } from './detect-format.ts';

interface Found {
  readonly format: string | undefined;
  readonly entries: readonly Entry[];
  readonly code: string | undefined;
  readonly message: string;
}

async function find(type: FileType, content: string | Buffer, chunk_bytes = 65_536, from = 0): Promise<Found> {
  const bytes = Buffer.from(content);
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunk_bytes) }, (_, at) =>
    bytes.subarray(at * chunk_bytes, (at + 1) * chunk_bytes),
  );
  let format: string | undefined;
  const reading = readEntries(Readable.from(chunks), {
    type,
    from,
    unpacked_bytes_max: 1e9,
    onFormat: (found, compression) => {
      format = `${found} ${compression}`;
    },
  });
  const entries: Entry[] = [];
  for (;;) {
    const next = await reading.next();
    if (next.done === true) {
      return { format, entries, code: next.value?.problem.code, message: next.value?.problem.message ?? '' };
    }
    entries.push(...next.value);
  }
}

/** Returns the properties that must not depend on how the bytes arrive. */
function seen({ offset, line, column, end, piece, keyStart, keyEnd, valueStart, valueEnd, cells, isCut }: Entry) {
  const text = (start: number, stop: number) => (start === -1 ? '' : piece.bytes.toString('latin1', start, stop));
  return [offset, line, column, end, text(keyStart, keyEnd), text(valueStart, valueEnd), cells, isCut];
}

const CONTENTS: Readonly<Record<string, string>> = {
  NDJSON:
    '\uFEFF{"sku": "a", "price": 1}\r\n\n  {"price": 2, "sku":"b"}\n{"sku":"ä\\"","price":3}\nnonsense\n{"sku": 7}\n{"sku":"c"}',
  CSV: '\uFEFFsku;price;node_1_id\r\n"a";1;\r\n;;\r\n"b ""c""\r\nd";2;"x;y"\r\n\r\nä;3;\r\ne;4',
};

describe('rows of a file', () => {
  for (const [format, content] of Object.entries(CONTENTS)) {
    it(`of ${format} are the same however its bytes arrive, and from any row on`, async () => {
      const whole = await find('Price', content);
      assert.equal(whole.format, `${format} none`);
      assert.equal(whole.entries.length, format === 'CSV' ? 4 : 6);
      assert.equal(whole.code, undefined);
      const wanted = whole.entries.map(seen);
      for (const chunk_bytes of [1, 2, 3, 7, 20, 41]) {
        const found = await find('Price', content, chunk_bytes);
        assert.deepEqual(found.entries.map(seen), wanted, `${chunk_bytes} bytes at a time`);
        for (const [at, { end }] of whole.entries.entries()) {
          const rest = await find('Price', content, chunk_bytes, end);
          assert.deepEqual(rest.entries.map(seen), wanted.slice(at + 1), `from row ${at + 1}`);
        }
      }
      assert.equal((await find('Price', gzipSync(content))).format, `${format} gzip`);
    });
  }

  it('of NDJSON have their line, column, key and body', async () => {
    const { entries } = await find('Price', CONTENTS.NDJSON ?? '');
    assert.deepEqual(
      entries.map(({ line, column }) => [line, column]),
      [
        [1, 4],
        [3, 3],
        [4, 1],
        [5, 1],
        [6, 1],
        [7, 1],
      ],
    );
    assert.deepEqual(
      entries.map((entry) => seen(entry)[4]),
      ['a', 'b', Buffer.from('ä\\"').toString('latin1'), '', '', 'c'],
    );
  });

  it('of CSV have their line and cells; quoted line breaks count', async () => {
    const { entries } = await find('Price', CONTENTS.CSV ?? '');
    assert.deepEqual(
      entries.map(({ line, cells }) => [line, ...cells.map((cell) => cell.trim())]),
      [
        [2, 'a', '1', ''],
        [4, 'b "c"\r\nd', '2', 'x;y'],
        [7, Buffer.from('ä').toString('latin1'), '3', ''],
        [8, 'e', '4'],
      ],
    );
  });

  it('of CSV are found under a header that ends in a no-break space or in a letter like à', async () => {
    assert.equal((await find('Price', 'sku,price\u00a0\r\na,1\r\n')).entries.length, 1);
    assert.deepEqual(
      (await find('Price', 'sku,price,à\na,1,2\n')).message,
      'The CSV header contains unknown columns for Price: à. Remove or rename them.',
    );
  });

  it('of CSV that have only white space are skipped, whatever white space it is', async () => {
    for (const blank of ['\u00a0;\u00a0', '\u3000', '\uFEFF', '"\u2003";', ' \t\u202f']) {
      const { entries, code } = await find('Price', `sku;price\nä;1\n${blank}\nb;2\n`);
      assert.deepEqual([entries.map(({ line }) => line), code], [[2, 4], undefined], JSON.stringify(blank));
    }
    const { entries } = await find('Price', Buffer.from('sku;price\n\xa0;\n', 'latin1'));
    assert.equal(entries.length, 1, 'Bytes that are not UTF-8 are not white space.');
  });
});

describe('the format', () => {
  const cases: readonly [content: string, format: string][] = [
    ['{"sku": {"price": 1}}', 'JSON'],
    ['{"a": 7, "b": {"price": 1}}', 'JSON'],
    ['{"a": 7}', 'JSON'],
    ['{}', 'JSON'],
    [' \n ', 'JSON'],
    [`{"a": {"x": "${'y'.repeat(HEAD_BYTES_MAX)}"}}`, 'JSON'],
    ['{"sku": "a"}', 'NDJSON'],
    ['{"fulfillment_nodes": [{"quantity": 1}], "sku": "a"}', 'NDJSON'],
    ['sku,price', 'CSV'],
    ['\n"sku"\t"price"\n', 'CSV'],
    ['sku,price\ra,1\rb,2', 'CSV'],
  ];
  for (const [content, format] of cases) {
    it(`of ${JSON.stringify(content.slice(0, 40))} is ${format}`, async () => {
      for (const chunk_bytes of [1_000, 3]) {
        if (content.length > 1_000 && chunk_bytes < 1_000) continue;
        assert.equal((await find('Price', content, chunk_bytes)).format, `${format} none`);
      }
    });
  }

  it('of files with old Mac line breaks has rows', async () => {
    const { entries } = await find('Price', 'sku,price\ra,1\rb,2');
    assert.deepEqual(
      entries.map(({ line, column }) => [line, column]),
      [
        [2, 1],
        [3, 1],
      ],
    );
    assert.deepEqual(
      entries.map(({ cells }) => cells),
      [
        ['a', '1'],
        ['b', '2'],
      ],
    );
  });
});

describe('files that cannot be read', () => {
  const long = 'x'.repeat(LIMITS.body_bytes_max + 10);
  const cases: readonly [content: string | Buffer, code: string, message: RegExp, rows: number][] = [
    ['price\n1\n', 'file_header_invalid', /lacks required columns for Price: sku\./, 0],
    ['hello', 'file_header_invalid', /lacks required columns for Price: sku, price\./, 0],
    ['a,1\nb,2\n', 'file_header_invalid', /first line/, 0],
    ['sku,price,your_price\na,1,2\n', 'file_header_invalid', /repeats a column: your_price\./, 0],
    ['sku,price,prize,Problems,\na,1,2,,\n', 'file_column_unknown', /unknown columns for Price: prize\./, 0],
    ['sku,prise\na,1\n', 'file_header_invalid', /for Price: price \(Did you send it as "prise"\?\)\. Add them\.$/, 0],
    [
      'sku,price,node_1_idd\na,1,n\n',
      'file_column_unknown',
      /: node_1_idd \(Did you mean node_1_id\?\)\. Remove or/,
      0,
    ],
    [`sku,${'price,'.repeat(20_000)}\n`, 'file_header_invalid', /at most 65536 bytes/, 0],
    ['sku,price\na,1\n"b,2\nc,3\n', 'file_row_unending', /line 3 /, 1],
    [`sku,price\na,1\n"${long}",2\nc,3\n`, 'file_row_unending', /line 3 .*1048576 bytes/, 1],
    [Buffer.from([0xff, 0xfe, 0x73, 0, 0x6b, 0, 0x0a, 0]), 'file_not_object', /UTF-8/, 0],
  ];
  for (const [content, code, message, rows] of cases) {
    it(`such as ${JSON.stringify(String(content).slice(0, 30))} are ${code}`, async () => {
      const found = await find('Price', content);
      assert.deepEqual([found.code, found.entries.length], [code, rows]);
      assert.match(found.message, message);
    });
  }
});

describe('rows that fail', () => {
  async function failed(type: FileType, content: string | Buffer) {
    const rows: unknown[] = [];
    const source = Readable.from([Buffer.from(content)], { objectMode: false });
    const options = { type, names: new Names(NEUTRAL_NAMES), unpacked_bytes_max: 1e9 };
    for await (const checked of checkRows(source, options)) {
      for (const { skuId, line, problems } of checked.failed) {
        rows.push([skuId, line, ...problems.flatMap(({ code, message }) => [code, message])]);
      }
    }
    return rows;
  }

  it('name the column of CSV', async () => {
    const header = 'sku,price,node_1_id,node_1_price,node_3_id,node_3_price\n';
    const rows = [
      'a,"12,50",,,,',
      'b,0,n,1,m,-1',
      ',1,,,,',
      'd,1,,,,,7',
      'e,1e5,n,x,,',
      '1.2E+11,1,,,,',
      '"f"g",1,,,,',
    ];
    assert.deepEqual(await failed('Price', `${header}${rows.join('\n')}\n`), [
      ['a', 2, 'cell_invalid', 'price: has a decimal comma. Write 12.50'],
      [
        'b',
        3,
        'too_small',
        'price: must be a number from 0.01 to 1000000000',
        'too_small',
        'node_3_price: must be a number from 0.01 to 1000000000',
      ],
      ['', 4, 'sku_id_invalid', 'sku: must not be empty'],
      ['d', 5, 'cell_invalid', 'The row has more cells than the header (6).'],
      [
        'e',
        6,
        'cell_invalid',
        'price: must be a number such as 9.95, without currency or unit',
        'cell_invalid',
        'node_1_price: must be a number such as 9.95, without currency or unit',
      ],
      ['', 7, 'cell_invalid', 'sku: lost digits: 1.2E+11. Format the column as text and enter all digits'],
      ['', 8, 'cell_invalid', 'The row has a misplaced quote. Double every quote inside a quoted cell.'],
    ]);
  });

  it('are refused alone if they are not UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('sku,price\n'), Buffer.from([0xe4]), Buffer.from(',1\nb,1\n')]);
    assert.deepEqual(await failed('Price', bytes), [['', 2, 'body_not_utf8', 'The row must be UTF-8.']]);
  });

  it('of NDJSON lack a SKU id, or are not JSON', async () => {
    const rows = [
      '{"sku": "a", "price": 0}',
      '{"price": 1}',
      '{"sku": 7, "price": 1}',
      '{oops}',
      '[1]',
      '{"sku": "b", "price": 1',
    ];
    const found = (await failed('Price', rows.join('\n'))) as [string, number, string, string][];
    assert.deepEqual(
      found.map(([skuId, line, code]) => [skuId, line, code]),
      [
        ['a', 1, 'too_small'],
        ['', 2, 'sku_id_invalid'],
        ['', 3, 'sku_id_invalid'],
        ['', 4, 'body_not_json'],
        ['', 5, 'sku_id_invalid'],
        ['b', 6, 'body_not_json'],
      ],
    );
    assert.equal(found[1]?.[3], 'sku: is required, as a string');
    assert.equal(found[3]?.[3], 'The body is not JSON: unexpected character at line 4, column 2.');
  });

  it('that are not JSON name the line and the byte of the file', async () => {
    for (const [content, skuId, storage] of [
      ['{"sku": "a", "price": 1}\n  {"x": "é" oops, "sku": "b"}', 'b', 'line 2, column 14'],
      ['{"sku": "a", "price": 1}\n\n  {"sku": "é", "x": "é" oops}', 'é', 'line 3, column 27'],
      ['{"a": {"price": 1},\n "é": {"x": "é" oops}}', 'é', 'line 2, column 19'],
      ['{"a": {"price": 1},\n "b":\n  {"price":\n 1 oops}}', 'b', 'line 4, column 4'],
    ] as const) {
      const found = (await failed('Price', content)) as [string, number, string, string][];
      assert.deepEqual(
        found.map(([key, , , message]) => [key, message]),
        [[skuId, `The body is not JSON: unexpected character at ${storage}.`]],
        content,
      );
    }
  });

  it('of NDJSON may be too long, and the next one is read', async () => {
    const rows = `{"sku": "a", "price": "${'x'.repeat(2 * LIMITS.body_bytes_max)}"}\n{"sku": "b", "price": 0}\n`;
    const found = (await failed('Price', rows)) as [string, number, string][];
    assert.deepEqual(
      found.map(([skuId, line, code]) => [skuId, line, code]),
      [
        ['a', 1, 'body_too_large'],
        ['b', 2, 'too_small'],
      ],
    );
  });
});

describe('a processed file', () => {
  const group = { relationship: 'Variation', variation_refinements: [1], children_skus: ['b'] };
  const exception = { service_level: 'Standard', shipping_exception_type: 'include' };
  const bodies: Readonly<Record<FileType, object>> = {
    MerchantSKUs: {
      ...SKU_BODY,
      mfr_part_number: '007',
      bullets: ['x, "y"', 'ü\nz'],
      standard_product_codes: [{ standard_product_code: '012345678905', standard_product_code_type: 'UPC' }],
      attributes_node_specific: [{ attribute_id: 50, attribute_value: 'Blue' }],
      alternate_images: [{ image_slot_id: 2, image_url: 'https://images.example/side.jpg' }],
    },
    Price: { price: 9.5, fulfillment_nodes: [{ fulfillment_node_id: NODE.id, fulfillment_node_price: 9 }] },
    Inventory: { fulfillment_nodes: [{ fulfillment_node_id: NODE.id, quantity: 3 }] },
    Archive: { is_archived: true },
    Variation: group,
    ShippingException: { fulfillment_nodes: [{ fulfillment_node_id: NODE.id, shipping_exceptions: [exception] }] },
    ReturnsException: { return_location_ids: ['returns-1'] },
    Offers: {
      is_archived: false,
      sku: {
        ...SKU_BODY,
        standard_product_codes: [{ standard_product_code: '012345678905', standard_product_code_type: 'UPC' }],
        bullets: ['one'],
      },
      price: { price: 9.5, fulfillment_nodes: [{ fulfillment_node_id: NODE.id, fulfillment_node_price: 9 }] },
      inventory: { fulfillment_nodes: [{ fulfillment_node_id: NODE.id, quantity: 3 }] },
      shipping_exception: { fulfillment_nodes: [{ fulfillment_node_id: NODE.id, shipping_exceptions: [exception] }] },
      returns_exception: { return_location_ids: ['returns-1'] },
    },
  };
  /** Sheets of the types that the portal does not write. */
  const sheets: Readonly<Partial<Record<FileType, string>>> = {
    Variation: 'sku,relationship,refinement_1,child_sku_1\na,Variation,1,b\n',
    ShippingException: `sku,exception_1_node_id,exception_1_service_level,exception_1_type\na,${NODE.id},Standard,include\n`,
    ReturnsException: 'sku,return_location_1\na,returns-1\n',
  };

  function csvOf(type: FileType): string {
    const cells = (text: string) => `"${text.replaceAll('"', '""')}"`;
    const rows = () => sheetRows(type as SheetType, [{ sku: 'a', body: bodies[type] }]);
    return (
      sheets[type] ??
      rows()
        .map((row) => row.map(cells).join(','))
        .join('\n')
    );
  }

  for (const [type, body] of Object.entries(bodies) as [FileType, object][]) {
    it(`writes the same rows of ${type} in every format`, async () => {
      const key = type === 'Offers' ? 'merchant_sku' : 'sku';
      const contents = [JSON.stringify({ a: body }), JSON.stringify({ [key]: 'a', ...body }), csvOf(type)];
      const written = await Promise.all(
        contents.map(async (content) => {
          const engine = new FileEngine();
          await engine.upload('a', 'b');
          const file = await engine.send(type, content);
          assert.equal(await engine.run(file), 'ended');
          assert.equal(await engine.status(file), 'Processed successfully', JSON.stringify(await engine.errors(file)));
          assert.deepEqual((await engine.progress(file)).ignoredFields, []);
          return engine.applied;
        }),
      );
      assert.deepEqual(written[1], written[0]);
      assert.deepEqual(written[2], written[0]);
    });
  }

  it('keeps integers beyond 2^53', async () => {
    const large = '9007199254740993';
    const header = Object.keys(SKU_BODY).join(',');
    const cells = Object.values(SKU_BODY).join(',');
    const json = JSON.stringify(SKU_BODY).slice(1, -1);
    const attribute = `"attributes_node_specific":[{"attribute_id":${large},"attribute_value":"Blue"}]`;
    const contents = [
      `{"sku":"a",${json},${attribute}}`,
      `{${attribute},${json},"sku":"a"}`,
      `sku,${header},attribute_1_id,attribute_1_value\na,${cells},${large},Blue`,
    ];
    for (const content of contents) {
      const engine = new FileEngine();
      const file = await engine.send('MerchantSKUs', content);
      await engine.run(file);
      assert.equal(await engine.status(file), 'Processed successfully', JSON.stringify(await engine.errors(file)));
      const [write] = engine.applied;
      assert.match(write?.part === 'sku' ? write.document : '', new RegExp(`"attribute_id":${large}\\b`));
    }
  });

  it('has a retry file in its format, with the rows as they were sent', async () => {
    const ndjson = ['{"sku": "a", "price":  1}', '{"sku": "b", "price": 0, "n": 90071992547409931}', 'oops'];
    const csv = ['sku;price;problems', 'a;1;', '"b";0;"old\r\nones"', 'c;x;'];
    const cases: readonly [content: string, retry: string][] = [
      [ndjson.join('\r\n'), `${ndjson[1]}\r\n${ndjson[2]}\n`],
      [`${ndjson.join(' \n')}\r\n`, `${ndjson[1]} \n${ndjson[2]}\r\n`],
      [`\uFEFF${csv.join('\r\n')}`, `${csv[0]}\r\n${csv[2]}\r\n${csv[3]}\r\n`],
      [`${csv.join('\n')}\n`, `${csv[0]}\n${csv[2]}\n${csv[3]}\n`],
      ['sku,price\ra,1\rb, 0 \rc,x', 'sku,price\rb, 0 \rc,x\r'],
      ['sku\tprice\tproblems\r\na\t1\t\r\nb\t0\t\r\nc\tx\t', 'sku\tprice\tproblems\r\nb\t0\t\r\nc\tx\t\r\n'],
    ];
    for (const [content, retry] of cases) {
      const engine = new FileEngine();
      await engine.upload('a', 'b', 'c');
      const file = await engine.send('Price', content);
      await engine.run(file);
      const { rowsProcessed, rowsFailed } = await engine.progress(file);
      assert.deepEqual([rowsProcessed, rowsFailed, await engine.retry(file)], [3, 2, retry]);
    }
  });

  it('applies the rows of a key that occurs twice in order', async () => {
    for (const content of ['sku,price\na,1\na,2\n', '{"sku":"a","price":1}\n{"sku":"a","price":2}']) {
      const engine = new FileEngine();
      await engine.upload('a');
      const file = await engine.send('Price', content);
      await engine.run(file);
      assert.equal((await engine.progress(file)).rowsProcessed, 2);
      assert.equal(await engine.price('a'), 2);
    }
  });
});
