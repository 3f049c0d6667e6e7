/** The commands of portal users, their sessions, and the activity log. */
import * as activityLog from './activity-log.ts';
import * as sessions from './sessions.ts';
import * as users from './users.ts';

export const people = { ...users, ...sessions, ...activityLog };
