/** Defines who changed an offer: a credential set, a portal user, or a bulk file. */
export type Author = `key:${string}` | `person:${string}` | `file:${string}`;

/** The user name of the credential set. */
export function authorOfKey(user: string): Author {
  return `key:${user}`;
}

/** The email address. */
export function authorOfPerson(email: string): Author {
  return `person:${email}`;
}

/** The file id. */
export function authorOfFile(fileId: string): Author {
  return `file:${fileId}`;
}
