/** The roles of a process, and the work that each role does. */

export const ROLES = Object.freeze(['all', 'api', 'worker'] as const);

export type Role = (typeof ROLES)[number];

/** Listens and serves requests. */
export function servesApi(role: Role): boolean {
  return role !== 'worker';
}

/** Does background work, such as the review and deleting expired data. */
export function worksInBackground(role: Role): boolean {
  return role !== 'api';
}
