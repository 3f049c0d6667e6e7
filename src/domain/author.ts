/** Defines who changed an offer: a credential set, a portal user, or a bulk file. */
export type Author = `key:${string}` | `person:${string}` | `file:${string}`;

/** `user` is the user name of the credential set. */
export function authorOfKey(user: string): Author {
  return `key:${user}`;
}

export function authorOfPerson(email: string): Author {
  return `person:${email}`;
}

export function authorOfFile(fileId: string): Author {
  return `file:${fileId}`;
}
