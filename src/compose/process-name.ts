/** In charge of telling this process from every other one on its database. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

/** Machine and process id are for people; only the random part is sure to differ between containers and over time. */
export function newProcessName(): string {
  return `${hostname()}/${process.pid}/${randomBytes(6).toString('hex')}`;
}
