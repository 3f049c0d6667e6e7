/** In charge of who is named for a change of an offer: a credential set, a person in the portal, or a bulk file. */
export type Author = `key:${string}` | `person:${string}` | `file:${string}`;

/** By the user name of its credential set. */
export function authorOfKey(user: string): Author {
  return `key:${user}`;
}

/** By the e-mail address. */
export function authorOfPerson(email: string): Author {
  return `person:${email}`;
}

/** By the id of the file. */
export function authorOfFile(fileId: string): Author {
  return `file:${fileId}`;
}
