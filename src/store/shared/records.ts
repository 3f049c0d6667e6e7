/** Converts between rows of a table and records, whose fields have the names of the columns in camel case. */

/** Columns that have another name than their field, because SQL reserves the word. */
const RESERVED: Readonly<Record<string, string>> = {
  by: 'made_by',
  user: 'user_name',
  offset: 'next_offset',
  order: 'upload_order',
};

/** How a column stores a field of a type that one of the engines lacks. Null stays null. */
interface Codec {
  read(column: never): unknown;
  /** Omitted: the column stores the field as it is. */
  write?(field: never): unknown;
}

export const JSON_TEXT: Codec = { read: JSON.parse, write: JSON.stringify };
/** 0 or 1. */
export const FLAG: Codec = { read: Boolean, write: Number };
/** Copied, because the driver's bytes are part of a larger buffer, which a cached record would keep. */
export const BYTES: Codec = { read: (bytes) => new Uint8Array(bytes) };

export interface Columns<T> {
  readonly names: readonly string[];
  /** The names as in SELECT. */
  readonly list: string;
  of(row: readonly unknown[]): T;
  valuesOf(record: T): readonly unknown[];
  /** The values of each column as a list, for a statement for many rows. */
  listsOf(records: readonly T[]): unknown[][];
}

/** Called as `columnsOf<Report>()('reportId', 'requestedMs')`: with both calls in one, the compiler could not infer the fields. */
export function columnsOf<T>(codecs: { readonly [Field in keyof T]?: Codec } = {}) {
  return <Field extends keyof T & string>(...fields: readonly Field[]): Columns<Pick<T, Field>> => {
    const names = fields.map(
      (field) => RESERVED[field] ?? field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    );
    const converted = (how: keyof Codec, field: Field, value: unknown) => {
      const convert = codecs[field]?.[how];
      return convert === undefined || value === null ? value : convert(value as never);
    };
    return {
      names,
      list: names.join(', '),
      of: (row) => {
        const entries = fields.map((field, index) => [field, converted('read', field, row[index])]);
        return Object.fromEntries(entries) as Pick<T, Field>;
      },
      valuesOf: (record) => fields.map((field) => converted('write', field, record[field])),
      listsOf: (records) => fields.map((field) => records.map((record) => converted('write', field, record[field]))),
    };
  };
}
