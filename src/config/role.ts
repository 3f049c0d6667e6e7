/** The roles of a process: what it does of all that Offerbook does. */

export const ROLES = Object.freeze(['all', 'api', 'worker'] as const);

export type Role = (typeof ROLES)[number];

/** Listens and answers requests. */
export function servesApi(role: Role): boolean {
  return role !== 'worker';
}

/** Does what nobody waits for, such as dropping what is past its end. */
export function worksInBackground(role: Role): boolean {
  return role !== 'api';
}
