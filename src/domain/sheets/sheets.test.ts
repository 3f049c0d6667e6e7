/** Tests sheets: columns, cells, rows and what is written back. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SHEET_TYPES, type SheetType } from '../vocabulary/file-types.ts';
import { DATE_CELL, readCell, trimmedCell, writtenCell } from './cells.ts';
import { type CellKind, columnAt, columnNamed, columnsOf } from './columns.ts';
import { matchHeader } from './header.ts';
import { jsonEntries } from './json-entries.ts';
import { type ReadRow, SheetReader } from './read-row.ts';
import {
  bulkFileText,
  csvText,
  problemsOfError,
  rowsWithProblems,
  type SheetEntry,
  sheetRows,
  templateColumns,
} from './write-rows.ts';

const MUG = {
  sku: 'mug',
  product_title: 'Stoneware mug',
  brand: 'Potter',
  multipack_quantity: '1',
  main_image_url: 'https://images.example/mug.jpg',
  product_code_1: '012345678905',
};

/** Reads rows given by column name. */
function read(type: SheetType, ...rows: readonly Readonly<Record<string, string>>[]): (ReadRow | undefined)[] {
  const headings = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const reader = new SheetReader({ type, mapping: matchHeader(type, headings) });
  return rows.map((row, at) =>
    reader.read(
      headings.map((heading) => row[heading] ?? ''),
      at + 2,
    ),
  );
}

function problemsOf(type: SheetType, row: Readonly<Record<string, string>>): string[] {
  return read(type, row)[0]?.problems.map(({ column, message }) => `${column}: ${message}`) ?? assert.fail();
}

describe('columns', () => {
  it('a template has the documented columns, the SKU first', () => {
    const names = (type: SheetType) => templateColumns(type).map(({ name }) => name);
    assert.deepEqual(names('Price'), ['sku', 'price', 'node_1_id', 'node_1_price']);
    assert.deepEqual(names('Inventory'), ['sku', 'node_id', 'quantity']);
    assert.deepEqual(names('Archive'), ['sku', 'is_archived']);
    const whole = names('Offers');
    for (const name of ['sku', 'product_title', 'price', 'node_1_price', 'stock_1_node_id', 'stock_1_quantity']) {
      assert.ok(whole.includes(name), name);
    }
    assert.ok(!whole.some((name) => /^(?:stock_2|is_archived|status|exception|child_sku)/.test(name)));
    assert.ok(templateColumns('Offers', 3).some(({ name }) => name === 'stock_3_quantity'));
    const offer = names('MerchantSKUs');
    assert.equal(offer[0], 'sku');
    for (const name of ['product_code_1', 'product_code_1_type', 'bullet_5', 'attribute_3_unit', 'category_id']) {
      assert.ok(offer.includes(name), name);
    }
  });

  it('a list has as many columns as it may have entries', () => {
    assert.ok(columnNamed('MerchantSKUs', 'bullet_5'));
    assert.equal(columnNamed('MerchantSKUs', 'bullet_6'), undefined);
    assert.ok(columnNamed('MerchantSKUs', 'alternate_image_8'));
    assert.equal(columnNamed('MerchantSKUs', 'alternate_image_9'), undefined);
  });

  it('no two columns of a type have the same name', () => {
    for (const type of SHEET_TYPES) {
      const names = columnsOf(type).map(({ name }) => name);
      assert.equal(new Set(names).size, names.length, type);
    }
  });

  it('a pointer of an error leads to its column, also for a renamed field', () => {
    const slotOf = (_field: string, index: number) => index + 1;
    for (const [pointer, column] of [
      ['/product_title', 'product_title'],
      ['/bullets/2', 'bullet_3'],
      ['/bullets', 'bullet_1'],
      ['/standard_product_codes/0/standard_product_code_type', 'product_code_1_type'],
      ['/marketplace_browse_node_id', 'category_id'],
      ['/acme_browse_node_id', 'category_id'],
      ['/colour', ''],
      ['', ''],
    ] as const) {
      assert.equal(columnAt('MerchantSKUs', pointer, slotOf), column, pointer);
    }
  });
});

describe('cells', () => {
  for (const [kind, text, value] of [
    ['text', '007', '007'],
    ['text', '061414100229', '061414100229'],
    ['text', '12E3', '12E3'],
    ['text', "'=1+2", '=1+2'],
    ['text', "'tis", "'tis"],
    ['number', '9.95', 9.95],
    ['number', '-1', -1],
    ['number', '3.0', 3],
    ['id', '9007199254740993', 9007199254740993n],
    ['id', '1010590', 1010590],
    ['boolean', 'TRUE', true],
    ['boolean', 'no', false],
    ['scalar', '5', 5],
    ['scalar', '05', '05'],
    ['scalar', 'false', false],
  ] as const) {
    it(`${kind} ${text} is read`, () => {
      assert.deepEqual(readCell(kind, text), { value });
    });
  }

  for (const [kind, value, text] of [
    ['text', '007', '007'],
    ['text', '=1+2', "'=1+2"],
    ['text', "'tis", "''tis"],
    ['text', ' mug\n', "' mug\n"],
    ['text', '1.23E+11', "'1.23E+11"],
    ['text', '#N/A', "'#N/A"],
    ['text', DATE_CELL, `'${DATE_CELL}`],
    ['scalar', '5', "'5"],
    ['scalar', -5, '-5'],
    ['scalar', '-5', "'-5"],
    ['scalar', 'true', "'true"],
    ['scalar', true, 'true'],
    ['id', 9007199254740993n, '9007199254740993'],
    ['number', 0.01, '0.01'],
  ] as const) {
    it(`${kind} ${JSON.stringify(String(value))} is written as ${JSON.stringify(text)} and read again`, () => {
      assert.equal(writtenCell(kind, value), text);
      assert.deepEqual(readCell(kind, trimmedCell(text)), { value });
    });
  }

  it('the carriage return of a line break is not part of a marked text', () => {
    assert.deepEqual(readCell('scalar', trimmedCell("'5\r")), { value: '5' });
  });

  for (const [kind, text, fault] of [
    ['text', '1.23E+11', /lost digits: 1\.23E\+11/],
    ['text', '1,23E+11', /lost digits/],
    ['number', '1E+05', /lost digits/],
    ['text', DATE_CELL, /is a date/],
    ['text', '#N/A', /spreadsheet error #N\/A/],
    ['number', '12,50', /has a decimal comma\. Write 12\.50/],
    ['number', '1,234.50', /thousands separators/],
    ['number', '1.234,50', /thousands separators/],
    ['number', '$9.95', /must be a number such as 9\.95/],
    ['number', '0x10', /must be a number/],
    ['id', '12.5', /whole number in plain digits/],
    ['id', '007', /whole number in plain digits/],
    ['boolean', 'maybe', /true or false/],
  ] as const satisfies readonly (readonly [CellKind, string, RegExp])[]) {
    it(`${kind} ${text} is refused`, () => {
      const cell = readCell(kind, text);
      assert.match('fault' in cell ? cell.fault : '', fault);
    });
  }
});

describe('rows of a sheet', () => {
  it('an offer gets its lists from numbered columns, and gaps are closed', () => {
    const [row] = read('MerchantSKUs', {
      ...MUG,
      bullet_1: 'Sturdy',
      bullet_3: ' Dishwasher safe ',
      attribute_1_id: '50',
      attribute_1_value: 'Blue',
      alternate_image_2: 'https://images.example/side.jpg',
      prop_65: 'FALSE',
      category_id: '1010590',
    });
    assert.deepEqual(row?.problems, []);
    assert.deepEqual(row?.body, {
      product_title: 'Stoneware mug',
      brand: 'Potter',
      multipack_quantity: 1,
      main_image_url: 'https://images.example/mug.jpg',
      prop_65: false,
      marketplace_browse_node_id: 1010590,
      standard_product_codes: [{ standard_product_code: '012345678905', standard_product_code_type: 'UPC' }],
      bullets: ['Sturdy', 'Dishwasher safe'],
      attributes_node_specific: [{ attribute_id: 50, attribute_value: 'Blue' }],
      alternate_images: [{ image_slot_id: 2, image_url: 'https://images.example/side.jpg' }],
    });
  });

  it('prices and stock', () => {
    const [price] = read('Price', { sku: '007', price: '9.95', node_1_id: 'east', node_1_price: '9' });
    assert.equal(price?.sku, '007');
    assert.deepEqual(price?.body, {
      price: 9.95,
      fulfillment_nodes: [{ fulfillment_node_id: 'east', fulfillment_node_price: 9 }],
    });
    const [stock] = read('Inventory', { sku: 'mug', node_id: 'east', quantity: '0' });
    assert.deepEqual(stock?.body, { fulfillment_nodes: [{ fulfillment_node_id: 'east', quantity: 0 }] });
    assert.deepEqual(read('Archive', { sku: 'mug', is_archived: 'yes' })[0]?.body, { is_archived: true });
  });

  it('a whole offer has product data, price and stock, with the problems of all', () => {
    const row = { ...MUG, price: '5', stock_2_node_id: 'east', stock_2_quantity: '3' };
    const [good] = read('Offers', row);
    assert.deepEqual(good?.problems, []);
    assert.deepEqual(Object.keys(good?.body ?? {}).sort(), ['inventory', 'price', 'sku']);
    assert.deepEqual(good?.body.inventory, { fulfillment_nodes: [{ fulfillment_node_id: 'east', quantity: 3 }] });
    assert.deepEqual(problemsOf('Offers', { ...row, brand: '', price: '0', stock_2_quantity: '-1' }), [
      'brand: is required',
      'price: must be a number from 0.01 to 1000000000',
      'stock_2_quantity: must be an integer from 0 to 2147483647',
    ]);
    assert.deepEqual(problemsOf('Offers', { sku: 'a', price: '' }), [': The row has no value besides the SKU.']);
    assert.deepEqual(problemsOf('Offers', { ...row, product_type_id: '1' }).length > 0, true);
  });

  it('problems name the column, also behind a gap, and damaged cells are reported once', () => {
    assert.deepEqual(problemsOf('MerchantSKUs', { ...MUG, bullet_2: 'x', bullet_4: 'y'.repeat(501) }), [
      'bullet_4: must have 1 to 500 characters',
    ]);
    assert.deepEqual(problemsOf('MerchantSKUs', { ...MUG, product_code_1: '12345678905' }), [
      'product_code_1: must have 10, 12, 13 or 14 digits, not 11. Check for missing leading zeros',
    ]);
    assert.deepEqual(
      problemsOf('MerchantSKUs', { ...MUG, product_code_1: '12345678905', product_code_1_type: 'UPC' }),
      ['product_code_1: must have 12 digits as UPC'],
    );
    assert.deepEqual(problemsOf('Price', { sku: 'mug', price: '12,50' }), ['price: has a decimal comma. Write 12.50']);
    assert.deepEqual(problemsOf('Price', { sku: 'mug', price: '0' }), [
      'price: must be a number from 0.01 to 1000000000',
    ]);
    for (const multipack_quantity of ['two', '129']) {
      assert.deepEqual(problemsOf('MerchantSKUs', { ...MUG, multipack_quantity }), [
        'multipack_quantity: must be an integer from 1 to 128',
      ]);
    }
    assert.deepEqual(problemsOf('Price', { sku: '', price: '1' }), ['sku: must not be empty']);
    assert.match(problemsOf('Price', { sku: '1.23E+11', price: '1' }).join(), /^sku: lost digits[^,]*$/);
  });

  it('empty rows are skipped, and repeated SKUs are refused', () => {
    const [first, empty, repeated] = read('Price', { sku: 'a', price: '1' }, { sku: ' ' }, { sku: 'a', price: '2' });
    assert.deepEqual(first?.problems, []);
    assert.equal(empty, undefined);
    assert.deepEqual(repeated?.problems, [{ column: 'sku', message: 'repeats row 2. Keep one of them' }]);
  });

  it('a corrected row is read again, and another row may then take its SKU', () => {
    const reader = new SheetReader({ type: 'Price', mapping: matchHeader('Price', ['sku', 'price']) });
    const problemsAt = (cells: readonly string[], row: number, again = false) =>
      (again ? reader.reread(cells, row) : reader.read(cells, row))?.problems.length;
    assert.equal(problemsAt(['a', '0'], 2), 1);
    assert.equal(problemsAt(['a', '1'], 3), 1, 'repeats row 2');
    assert.equal(problemsAt(['a', '1'], 2, true), 0);
    assert.equal(problemsAt(['a', '1'], 3, true), 1);
    assert.equal(problemsAt(['b', '1'], 2, true), 0);
    assert.equal(problemsAt(['a', '1'], 3, true), 0);
  });

  it('stock of one SKU may have a row for each node', () => {
    const rows = read(
      'Inventory',
      { sku: 'a', node_id: 'east', quantity: '1' },
      { sku: 'a', node_id: 'west', quantity: '2' },
      { sku: 'a', node_id: 'east', quantity: '3' },
    );
    assert.deepEqual(
      rows.map((row) => row?.problems.length),
      [0, 0, 1],
    );
  });

  it('a node that the merchant does not have is reported; a fixed one replaces the column', () => {
    const mapping = matchHeader('Inventory', ['sku', 'quantity']);
    const node = columnNamed('Inventory', 'node_id') ?? assert.fail();
    const options = { type: 'Inventory', mapping, knownNodes: new Set(['east']) } as const;
    const good = new SheetReader({ ...options, fixed: new Map([[node, 'east']]) }).read(['a', '1'], 2);
    assert.deepEqual(good?.problems, []);
    const bad = new SheetReader({ ...options, fixed: new Map([[node, 'west']]) }).read(['a', '1'], 2);
    assert.deepEqual(bad?.problems, [{ column: 'node_id', message: 'is not one of your locations' }]);
    const stock = columnNamed('Offers', 'stock_1_node_id') ?? assert.fail();
    const whole = new SheetReader({
      type: 'Offers',
      mapping: matchHeader('Offers', ['sku', 'price', 'quantity']),
      fixed: new Map([[stock, 'west']]),
      knownNodes: options.knownNodes,
    });
    assert.deepEqual(whole.read(['a', '1', '2'], 2)?.problems, [
      { column: 'stock_1_node_id', message: 'is not one of your locations' },
    ]);
    assert.deepEqual(whole.read(['b', '1', ''], 3)?.body, { price: { price: 1 } }, 'no stock without a quantity');
  });
});

describe('what is written', () => {
  it('each row of the bulk file is on the line of its row in the sheet', () => {
    const rows = read('Price', { sku: 'a', price: '1' }, { sku: '' }, { sku: '"b"', price: '2' });
    const text = [...bulkFileText(rows.filter((row) => row !== undefined))].join('');
    assert.equal(text, '{\n"a": {"price":1},\n\n"\\"b\\"": {"price":2}\n}\n');
    assert.deepEqual(JSON.parse(text), { a: { price: 1 }, '"b"': { price: 2 } });
    assert.equal([...bulkFileText([])].join(''), '{\n}\n');
  });

  it('a failed offer comes back as it was sent, with its problems', () => {
    const sent = { ...MUG, product_code_1_type: 'UPC', bullet_1: '=cmd', alternate_image_3: 'https://x.example/a.jpg' };
    const [row] = read('MerchantSKUs', sent);
    const details = [
      { field: '/alternate_images/0/image_url', message: 'alternate_images[0].image_url: is broken' },
      { field: '', message: 'The SKU does not exist.' },
    ];
    const problems = problemsOfError('MerchantSKUs', details, row?.body);
    const [header = [], cells = []] = sheetRows('MerchantSKUs', [{ sku: 'mug', body: row?.body, problems }]);
    const shown = Object.fromEntries(header.map((name, at) => [name, cells[at]]));
    assert.equal(shown.problems, 'alternate_image_3: is broken; The SKU does not exist.');
    assert.equal(shown.bullet_1, "'=cmd", 'escaped');
    assert.equal(shown.product_code_1, '012345678905');
    delete shown.problems;
    assert.deepEqual(read('MerchantSKUs', shown as Record<string, string>)[0]?.body, row?.body);
  });

  it('stock of several nodes is several rows, and an invalid body is a row with only its SKU', () => {
    const entries: SheetEntry[] = [
      {
        sku: 'a',
        body: { fulfillment_nodes: [1, 2].map((quantity) => ({ fulfillment_node_id: `n${quantity}`, quantity })) },
      },
      { sku: '-b', body: 7 },
    ];
    assert.deepEqual(sheetRows('Inventory', entries), [
      ['sku', 'node_id', 'quantity'],
      ['a', 'n1', '1'],
      ['a', 'n2', '2'],
      ["'-b", '', ''],
    ]);
  });

  it('rows with problems keep their cells; an earlier column of problems is replaced', () => {
    const rows = [{ cells: ['old', '@a', "'=b"], problems: [{ column: 'price', message: 'is required' }] }];
    assert.deepEqual(rowsWithProblems(['Problems', 'SKU', 'Note'], rows), [
      ['problems', 'SKU', 'Note'],
      ['price: is required', "'@a", "'=b"],
    ]);
  });

  it('CSV has a byte order mark, and quotes where needed', () => {
    assert.equal(
      csvText([
        ['sku', 'note'],
        ['a', 'x, "y"\nz'],
      ]),
      '\uFEFFsku,note\r\na,"x, ""y""\nz"\r\n',
    );
  });
});

describe('rows of a bulk file', () => {
  it('are split, even if a key occurs twice', () => {
    const text = '{\n"a": {"x": [1, {"y": "},{"}]},\n"a": "te\\"xt", "\\u0062" : {"n": 12345678901234567890} }';
    assert.deepEqual(
      [...jsonEntries(text)],
      [
        ['a', { x: [1, { y: '},{' }] }],
        ['a', 'te"xt'],
        ['b', { n: 12345678901234567890n }],
      ],
    );
  });

  it('a text that ends early gives the rows before, and other text none', () => {
    assert.deepEqual([...jsonEntries('{"a": 1, "b": {"c": ')], [['a', 1]]);
    for (const text of ['', '{}', 'sku,price', '[]']) assert.deepEqual([...jsonEntries(text)], [], text);
    assert.throws(() => [...jsonEntries('{"a": nope}')], SyntaxError);
  });
});
