/** Writes the page on the columns of CSV files, from the table that reads them. */
import { type Column, columnsOf } from '../src/domain/sheets/columns.ts';
import { FILE_TYPES, type FileType } from '../src/domain/vocabulary/file-types.ts';
import { page, table } from './markdown.ts';

const NOTES: Readonly<Partial<Record<FileType, string>>> = {
  Inventory: 'A row for each SKU and fulfillment node. Nodes without a row keep their stock.',
  ShippingException:
    'Each `<n>` is one exception at one node. Repeat the node under another number for each further exception. A row with ' +
    '`sku` alone clears all exceptions.',
  ReturnsException: 'A row with `sku` alone clears the exception.',
  Offers:
    'A row for each offer. It has the columns of MerchantSKUs, Price, ShippingException, ReturnsException and Variation, and those below. A ' +
    'part without cells does not change. Cells of variation groups are ignored. See [whole offers](../guides/bulk-files.md#whole-offers).',
};

const KINDS: Readonly<Record<Column['kind'], string>> = {
  text: 'text',
  number: 'number, with a decimal point if it has decimals',
  id: 'whole number',
  boolean: '`true`, `yes`, `1` or `false`, `no`, `0`',
  scalar: 'text, number, `true` or `false`',
};

export function csvColumnsPage(): string {
  return page(
    '# Columns of CSV files',
    'This page lists the columns of each type of [bulk file](../guides/bulk-files.md#csv), and of [spreadsheets](../guides/spreadsheets.md) in the ' +
      'portal. The first row has the column names, in any order; case, spaces and punctuation do not matter. A column with `<n>` exists ' +
      'for each number from 1 up to the one in the table, and a list may have gaps. An empty cell means that the field is not sent. ' +
      '[Fields](sku-fields.md) has the rules of the values.',
    ...FILE_TYPES.flatMap((type) => [
      `## ${type}`,
      ...(NOTES[type] === undefined ? [] : [NOTES[type]]),
      table(['column', 'up to', 'required', 'cell', 'field', 'meaning'], rowsOf(ownColumns(type))),
    ]),
  );
}

/** Offers have the columns of other types too. */
function ownColumns(type: FileType): readonly Column[] {
  if (type !== 'Offers') return columnsOf(type);
  return columnsOf(type).filter(({ field }) => !field.includes('/') || field.startsWith('inventory/'));
}

function rowsOf(columns: readonly Column[]): string[][] {
  return columns
    .filter(({ slot = 1 }) => slot === 1)
    .map((column) => {
      const { name, field, slot, member, kind, isRequired, about } = column;
      const last = Math.max(...columns.filter((one) => one.field === field).map((one) => one.slot ?? 0));
      const isNumbered = slot !== undefined && last > 1;
      const inside = member === undefined ? '' : `.${member.replace('/0/', '[].')}`;
      return [
        `\`${isNumbered ? name.replace('_1', '_<n>') : name}\``,
        isNumbered ? String(last) : '',
        isRequired ? 'yes' : '',
        KINDS[kind],
        field === '' ? 'key of the row' : `\`${field}${slot === undefined ? '' : '[]'}${inside}\``,
        about,
      ];
    });
}
