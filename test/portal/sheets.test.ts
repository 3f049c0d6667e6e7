/** Tests spreadsheets in a browser: detection, columns, problems, upload, failed rows as a sheet, exports, templates. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Download, Page } from 'playwright-core';
import { browserSkipped } from '../harness/browser.ts';
import { PortalBrowser, waitToSee } from '../harness/portal-browser.ts';
import { MUG, portalInBrowser } from '../harness/portal-in-browser.ts';
import { xlsxFile } from '../harness/xlsx-file.ts';

/** Compressed or not, a file of this size would make fflate use a worker. */
const MANY_ROWS = 4000;

describe('spreadsheets in the portal', { skip: browserSkipped() }, () => {
  const portal = portalInBrowser();
  let merchant: PortalBrowser;
  before(async () => {
    merchant = await PortalBrowser.merchantOf(portal.url);
  });

  it('a CSV file of product data: columns are assigned, problems shown, good rows uploaded', async (t) => {
    const page = await openFiles(t);
    const image = 'https://images.example/mug.jpg';
    const lines = [
      'Seller SKU;Title;Brand;UPC;Image;multipack_quantity;MSRP;Notes',
      `007;"Mug; ""blue"",\n12 oz";Potter & Sons;012345678905;${image};1;9.95;internal`,
      `m-2;Green mug;Potter & Sons;012345678905;${image};1;12,50;`,
      ';;;;;;;',
      `m-3;Red mug;Potter & Sons;1.23E+11;${image};1;;`,
    ];
    await choose(page, 'offers.csv', `\uFEFF${lines.join('\r\n')}\r\n`);
    assert.equal(await page.getByRole('combobox', { name: 'File type' }).inputValue(), 'Product data');
    await page.getByText('Not imported: Notes').waitFor();
    await page.getByText('1 row ready to upload, 2 rows with problems').waitFor();
    const problems = page.getByRole('table', { name: 'Rows with problems' });
    const found = await problems.locator('tbody tr').allInnerTexts();
    assert.deepEqual(
      found.map((text) => text.replace(/\s+/g, ' ')),
      [
        '3 m-2 MSRP MSRP has a decimal comma. Write 12.50.',
        '5 m-3 UPC UPC lost digits: 1.23E+11. Format the column as text and enter all digits.',
      ],
    );
    const saved = await saveAs(page, 'Download rows with problems', 'CSV');
    assert.match(saved, /^\uFEFFproblems,Seller SKU,.*\r\nmsrp: has a decimal comma\. Write 12\.50,m-2,Green mug,/);

    // The second row has no problem if the column MSRP is not imported.
    await page.getByRole('combobox', { name: 'Field for column MSRP' }).click();
    await page.getByRole('option', { name: 'Not imported' }).click();
    await page.getByText('2 rows ready to upload, 1 row with problems').waitFor();
    await upload(page, 'Upload 2 rows', 'offers.csv');
    const offer = (await merchant.get('/test/merchant-skus/007')).body as Record<string, unknown>;
    assert.equal(offer.product_title, 'Mug; "blue",\n12 oz');
    assert.deepEqual(offer.standard_product_codes, MUG.standard_product_codes);
  });

  it('one sheet has product data, price and stock; its columns and locations are remembered by their names', async (t) => {
    const page = await openFiles(t);
    const heads = 'SKU,Title,Brand,UPC,Image,multipack_quantity,Selling price,Shelf A,Stock demo-node-west,Notes';
    const row = (sku: string, rest: string) =>
      `${sku},Water jug,Potter,012345678905,https://images.example/jug.jpg,1,${rest},x`;
    await choose(page, 'one.csv', `${heads}\n${row('one-1', '5,3,4')}\n${row('one-2', '6,,0')}\n`);
    assert.equal(await page.getByRole('combobox', { name: 'File type' }).inputValue(), 'Offers');
    await page.getByText('Not imported: Shelf A, Stock demo-node-west, Notes').waitFor();
    const assign = async (column: string, field: string) => {
      await page.getByRole('combobox', { name: `Field for column ${column}` }).click();
      await page.getByRole('option', { name: field, exact: true }).click();
    };
    await assign('Shelf A', 'stock_1_quantity');
    await assign('Stock demo-node-west', 'stock_2_quantity');
    await page.getByText('Choose the location of Shelf A.').waitFor();
    assert.equal(
      await page.getByRole('combobox', { name: 'Location of Stock demo-node-west' }).inputValue(),
      'demo-node-west',
    );
    await page.getByRole('combobox', { name: 'Location of Shelf A' }).click();
    await page.getByRole('option', { name: 'demo-node-east' }).click();
    await page.getByText('Not imported: Notes').waitFor();
    await upload(page, 'Upload 2 rows', 'one.csv');
    const nodesOf = async (sku: string) => {
      const offer = (await merchant.get(`/test/merchant-skus/${sku}/inventory`)).body as {
        fulfillment_nodes: { fulfillment_node_id: string; quantity: number }[];
      };
      return offer.fulfillment_nodes.map((node) => [node.fulfillment_node_id, node.quantity]);
    };
    assert.deepEqual(await nodesOf('one-1'), [
      ['demo-node-east', 3],
      ['demo-node-west', 4],
    ]);
    assert.deepEqual(await nodesOf('one-2'), [['demo-node-west', 0]]);
    assert.equal(((await merchant.get('/test/merchant-skus/one-2/price')).body as { price: number }).price, 6);

    await page.getByRole('link', { name: 'All files' }).click();
    const columns = heads.split(',');
    await choose(
      page,
      'two.csv',
      `${columns.toReversed()}\nx,9,8,5,1,https://images.example/a.jpg,012345678905,B,Water jug,a\n`,
    );
    await page.getByText('The columns are assigned as in your last upload.').waitFor();
    await page.getByText('1 row ready to upload').waitFor();
    assert.equal(
      await page.getByRole('combobox', { name: 'Field for column Shelf A' }).inputValue(),
      'stock_1_quantity',
    );
    await page.getByRole('button', { name: 'Assign by name' }).click();
    await page.getByText('Not imported: Notes, Stock demo-node-west, Shelf A').waitFor();
  });

  it('wrong cells are corrected in place, and unknown SKUs and categories are found before the upload', async (t) => {
    assert.equal((await merchant.put('/test/merchant-skus/fix-1', MUG)).status, 202);
    const page = await openFiles(t);
    const cell = (column: string, row: number) => page.getByRole('textbox', { name: `${column} in row ${row}` });
    await choose(page, 'prices.csv', 'SKU,Price\nfix-1,"7,50"\nfix-0,8\nfix-1,9\n');
    await page.getByText('1 row ready to upload, 2 rows with problems').waitFor();
    await cell('Price', 2).fill('0');
    await page.getByText('Enter a price from $0.01 to $1,000,000,000.').waitFor();
    await cell('Price', 2).fill('7.50');
    await page.getByText('2 rows ready to upload, 1 row with problems').waitFor();
    await cell('SKU', 4).fill('');
    await page.getByText('must not be empty').waitFor();
    await page.getByRole('button', { name: 'Upload 2 rows' }).click();
    await page.getByRole('alert').filter({ hasText: 'The server would refuse 1 row.' }).waitFor();
    await page.getByText('1 row ready to upload, 2 rows with problems').waitFor();
    assert.equal((await merchant.get('/test/merchant-skus/fix-1/price')).status, 404, 'nothing is uploaded yet');
    await cell('SKU', 3).fill('fix-1');
    await page.getByText('repeats row 2. Keep one of them').waitFor();
    await upload(page, 'Upload 1 row', 'prices.csv');
    assert.equal(((await merchant.get('/test/merchant-skus/fix-1/price')).body as { price: number }).price, 7.5);

    await page.getByRole('link', { name: 'All files' }).click();
    const heads = 'sku,title,brand,upc,image,multipack_quantity,category_id';
    await choose(
      page,
      'data.csv',
      `${heads}\nfix-2,Water jug,Potter,012345678905,https://images.example/a.jpg,1,123\n`,
    );
    await page.getByRole('button', { name: 'Upload 1 row' }).click();
    await page.getByText('0 rows ready to upload, 1 row with problems').waitFor();
    await page.getByText('is not a category.').waitFor();
    await cell('category_id', 2).fill('');
    await page.getByText('is not a category.').waitFor({ state: 'detached' });
    await upload(page, 'Upload 1 row', 'data.csv');
    assert.equal((await merchant.get('/test/merchant-skus/fix-2')).status, 200);
  });

  it('failed rows of a file are corrected on its page, and only they are uploaded', async (t) => {
    for (const sku of ['redo-1', 'redo-2', 'redo-3']) {
      assert.equal((await merchant.put(`/test/merchant-skus/${sku}`, MUG)).status, 202);
    }
    const page = await openFiles(t);
    const rows = { 'redo-1': { price: 5 }, 'redo-2': { price: 0 }, 'redo-none': { price: 6 } };
    await page.getByLabel('File to upload').setInputFiles({
      name: 'redo.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(rows)),
    });
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByRole('heading', { name: 'redo.json' }).waitFor();
    await page.getByRole('button', { name: 'Correct here' }).click();
    await page.getByText('0 rows ready to upload, 2 rows with problems').waitFor();
    const cells = page.getByRole('table', { name: 'Rows with problems' }).getByRole('textbox');
    assert.equal(await cells.count(), 2, 'only the wrong cells');
    await cells.nth(0).fill('8');
    await page.getByText('1 row ready to upload, 1 row with problems').waitFor();
    await cells.nth(1).fill('redo-3');
    await upload(page, 'Upload 2 rows', 'redo-corrected.csv');
    const priceOf = async (sku: string) =>
      ((await merchant.get(`/test/merchant-skus/${sku}/price`)).body as { price: number }).price;
    assert.deepEqual([await priceOf('redo-2'), await priceOf('redo-3')], [8, 6]);
  });

  it('a large Excel file of prices: failed rows come back as a sheet that can be uploaded again', async (t) => {
    assert.equal((await merchant.put('/test/merchant-skus/1000', MUG)).status, 202);
    const page = await openFiles(t);
    const rows = Array.from({ length: MANY_ROWS }, (_, at) => [1000 + at, at === 1 ? '=1+1' : 9.95] as const);
    await choose(page, 'prices.xlsx', xlsxFile([['SKU', 'Price'], ...rows.slice(0, -1), [{ days: 45000 }, 5]]));
    await page.getByText(`${(MANY_ROWS - 2).toLocaleString('en-US')} rows ready to upload, 2 rows with`).waitFor();
    const problems = page.getByRole('table', { name: 'Rows with problems' });
    assert.match(await problems.locator('tbody').innerText(), /SKU\s+is a date/);
    // The rows are uploaded unchecked if the server cannot check them.
    const problem = { code: 'busy', field: '', message: 'Too many files.' };
    await page.route('**/files/uploaded?validate_only=true', (route) =>
      route.fulfill({ status: 429, json: { errors: [problem.message], details: [problem] } }),
    );
    await page.getByRole('button', { name: /^Upload 3,998 rows/ }).click();
    await page.getByRole('alert').filter({ hasText: 'Too many files.' }).waitFor();
    await page.getByRole('button', { name: 'Upload without the check' }).click();
    // The list behind it has earlier files with errors.
    await page.getByRole('heading', { name: 'prices.xlsx' }).waitFor();
    await page.getByText('Processed with errors').waitFor();
    await page.getByRole('row', { name: /^4 1002 / }).waitFor();
    assert.equal(((await merchant.get('/test/merchant-skus/1000/price')).body as { price: number }).price, 9.95);

    const csv = await saveAs(page, 'Failed rows as a sheet', 'CSV');
    assert.match(csv, /^\uFEFFsku,problems,price\r\n1002,.*not.*,9\.95\r\n1003,/);
    const download = await startSave(page, 'Failed rows as a sheet', 'Excel');
    assert.equal(download.suggestedFilename(), 'prices-failed.xlsx');
    const bytes = await readFile(await download.path());
    await page.getByRole('link', { name: 'All files' }).click();
    await choose(page, 'prices-failed.xlsx', bytes);
    await page.getByText('3,997 rows ready to upload').waitFor();
  });

  it('offers, prices and stock are exported for the filter, and uploading the sheets again changes nothing', async (t) => {
    const path = '/test/merchant-skus/%3Dsheet-1';
    const offer = { ...MUG, brand: 'Sheetwork', product_description: ' "Two"\r\nlines\n', bullets: ['=1+1', '007'] };
    const price = {
      price: 9,
      fulfillment_nodes: [{ fulfillment_node_id: 'demo-node-west', fulfillment_node_price: 8 }],
    };
    const stock = ['east', 'west'].map((id, at) => ({ fulfillment_node_id: `demo-node-${id}`, quantity: at * 3 }));
    assert.equal((await merchant.put(path, offer)).status, 202);
    assert.equal((await merchant.put(`${path}/price`, price)).status, 202);
    assert.equal((await merchant.send('PATCH', `${path}/inventory`, { fulfillment_nodes: stock })).status, 202);
    await waitToSee('the review', async () => {
      const { offers } = (await merchant.get('/test/offers?q=sheetwork')).body as { offers: readonly unknown[] };
      return offers.length === 1 || undefined;
    });
    const history = await merchant.get(`${path}/history`);
    const page = await openFiles(t);
    for (const [sheet, ending, rows] of [
      ['Offers', 'csv', 1],
      ['Product data', 'xlsx', 1],
      ['Prices', 'csv', 1],
      ['Inventory', 'xlsx', 2],
    ] as const) {
      await page.goto(`${portal.url}/portal/test/offers?q=sheetwork`);
      const download = await startSave(page, 'Export', `${sheet} (${ending === 'csv' ? 'CSV' : 'Excel'})`);
      const name = download.suggestedFilename();
      assert.match(name, new RegExp(`^${sheet.toLowerCase().replace(' ', '-')}-\\d{4}-\\d\\d-\\d\\d\\.${ending}$`));
      await page.getByRole('link', { name: 'Files', exact: true }).click();
      await choose(page, name, await readFile(await download.path()));
      assert.equal(await page.getByRole('combobox', { name: 'File type' }).inputValue(), sheet);
      await upload(page, `Upload ${rows} row`, name);
    }
    assert.equal(history.status, 200);
    assert.deepEqual((await merchant.get(`${path}/history`)).body, history.body);

    const body = `sku,price\r\n${'a,1\r\n'.repeat(100_001)}`;
    await page.route('**/offers/export?*', (route) => route.fulfill({ contentType: 'text/csv', body }));
    await page.goto(`${portal.url}/portal/test/offers?q=sheetwork`);
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'Prices (Excel)' }).click();
    await page.getByRole('alert').filter({ hasText: 'too large (more than 100,000 rows). Filter the list' }).waitFor();
  });

  it('files that cannot be read are refused with the reason, others read, and an unclear type must be chosen', async (t) => {
    const page = await openFiles(t);
    for (const [name, content, message] of [
      ['latin.csv', Buffer.from('sku,price\ncaf\xe9,1\n', 'latin1'), 'The file is not UTF-8.'],
      ['prices.pdf', Buffer.from('%PDF-1.7\n'), 'This is a PDF. Upload a CSV, Excel or JSON file.'],
      ['old.xls', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'This is an old Excel file'],
      ['broken.xlsx', Buffer.from('PK\x03\x04 no zip'), 'This Excel file cannot be read.'],
      ['empty.csv', 'sku,price\n', 'The sheet has column names but no rows. Add at least one row.'],
      ['quote.csv', 'sku,price\n"a,1\n', 'Row 2 has an unclosed quote.'],
      ['long.csv', `sku,price\n${'a,1\n'.repeat(100_001)}`, 'The sheet has more than 100,000 rows.'],
    ] as const) {
      await choose(page, name, content);
      await page.getByRole('alert').filter({ hasText: message }).waitFor();
    }
    await choose(page, 'packed.csv.gz', gzipSync(Buffer.from('\uFEFFsku;price\na;1\n', 'utf16le')));
    await page.getByText('1 row ready to upload').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await choose(page, 'all.csv', 'sku\ttitle\tprice\tquantity\nmug\tMug\t5\t1\n');
    await page.getByText('The columns fit several types or none').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Upload / }).count(), 0);
    await page.getByRole('combobox', { name: 'File type' }).click();
    await page.getByRole('option', { name: 'Inventory' }).click();
    await page.getByText('Missing: node_id. Assign a column to each.').waitFor();
    await page.getByRole('combobox', { name: 'Location for all rows' }).click();
    await page.getByRole('option').first().click();
    await page.getByRole('button', { name: 'Upload 1 row' }).waitFor();
  });

  it('templates have the documented columns', async (t) => {
    const page = await openFiles(t);
    assert.equal(await saveAs(page, 'Download template', 'Inventory (CSV)'), '\uFEFFsku,node_id,quantity\r\n');
    const whole = await saveAs(page, 'Download template', 'Offers (CSV)');
    assert.match(
      whole,
      /^\uFEFFsku,product_title,.*,price,.*,stock_1_quantity,stock_2_node_id,stock_2_quantity,product_type_id\r\n$/,
    );
    const download = await startSave(page, 'Download template', 'Product data (Excel)');
    assert.equal(download.suggestedFilename(), 'product-data-template.xlsx');
    await choose(page, 'template.xlsx', await readFile(await download.path()));
    await page
      .getByRole('alert')
      .filter({ hasText: 'The sheet has column names but no rows. Add at least one row.' })
      .waitFor();
  });

  async function openFiles(t: Parameters<typeof portal.openPage>[0]): Promise<Page> {
    const page = await portal.openPage(t);
    await portal.signIn(page, 'test/files');
    return page;
  }

  async function choose(page: Page, name: string, content: string | Buffer): Promise<void> {
    const file = { name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) };
    await page.getByLabel('File to upload').setInputFiles(file);
  }

  async function upload(page: Page, button: string, name: string): Promise<void> {
    await page.getByRole('button', { name: button }).click();
    await page.getByRole('heading', { name }).waitFor();
    await page.getByText('Processed successfully').waitFor();
  }

  async function startSave(page: Page, menu: string, item: string): Promise<Download> {
    await page.getByRole('button', { name: menu }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: item, exact: true }).click();
    return downloading;
  }

  async function saveAs(page: Page, menu: string, item: string): Promise<string> {
    return readFile(await (await startSave(page, menu, item)).path(), 'utf8');
  }
});
