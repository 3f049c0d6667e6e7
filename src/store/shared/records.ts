/** Converts between rows of a table and records, whose fields have the names of the columns in camel case. */

/** Columns that have another name than their field, because SQL reserves the word. */
const RESERVED: Readonly<Record<string, string>> = {
  by: 'made_by',
  user: 'user_name',
  offset: 'next_offset',
  order: 'upload_order',
};

export interface Columns<T> {
  readonly names: readonly string[];
  /** The names as in SELECT. */
  readonly list: string;
  of(row: readonly unknown[]): T;
  valuesOf(record: T): readonly unknown[];
}

/** Called as `columnsOf<Report>()('reportId', 'requestedMs')`: the compiler infers the fields only from arguments of their own. */
export function columnsOf<T>() {
  return <Field extends keyof T & string>(...fields: readonly Field[]): Columns<Pick<T, Field>> => {
    const names = fields.map(
      (field) => RESERVED[field] ?? field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    );
    return {
      names,
      list: names.join(', '),
      of: (row) => Object.fromEntries(fields.map((field, place) => [field, row[place]])) as Pick<T, Field>,
      valuesOf: (record) => fields.map((field) => record[field]),
    };
  };
}
