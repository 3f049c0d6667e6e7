/** The commands of reviewed images and of the queue of images to fetch. */
import * as checks from './checks.ts';
import * as found from './found.ts';
import * as queue from './queue.ts';
import * as users from './users.ts';

export const images = { ...found, ...users, ...queue, ...checks };
