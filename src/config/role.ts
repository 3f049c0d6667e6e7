/** The roles of a process, and the work that each role does. */

export const ROLES = Object.freeze(['all', 'api', 'worker'] as const);

export type Role = (typeof ROLES)[number];

/** Returns whether the process listens and serves requests. */
export function servesApi(role: Role): boolean {
  return role !== 'worker';
}

/** Returns whether the process does background work, such as reviews and deleting expired data. */
export function worksInBackground(role: Role): boolean {
  return role !== 'api';
}
