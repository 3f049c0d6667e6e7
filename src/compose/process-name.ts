/** Creates a name for this process that is unique on its database. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

/** Host and process id are for operators; only the random part is unique across containers and restarts. */
export function newProcessName(): string {
  return `${hostname()}/${process.pid}/${randomBytes(6).toString('hex')}`;
}
