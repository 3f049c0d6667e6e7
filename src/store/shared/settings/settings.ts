/** The commands of account settings. */
import * as accounts from './accounts.ts';
import * as credentials from './credentials.ts';
import * as merchants from './merchants.ts';
import * as signingKeys from './signing-keys.ts';
import * as version from './version.ts';

export const settings = { ...merchants, ...accounts, ...credentials, ...signingKeys, ...version };
