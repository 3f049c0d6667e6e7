/** In charge of the options that an address of a database may set for the session, beside those that are needed. */

export interface ConnectionAddress {
  readonly connectionString: string;
  readonly options: string;
}

/**
 * The driver would take the options of the address in place of those it is told. Of two for the same setting PostgreSQL
 * takes the last one, so that the needed ones stand behind.
 */
export function connectionAddress(url: string, neededOptions: string): ConnectionAddress {
  const address = new URL(url);
  const given = address.searchParams.getAll('options');
  if (given.length === 0) return { connectionString: url, options: neededOptions };
  address.searchParams.delete('options');
  return { connectionString: address.href, options: [...given, neededOptions].join(' ') };
}
