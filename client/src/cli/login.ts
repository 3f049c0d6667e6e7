/** offerbook-client login: checks the keys and stores them. */
import { OfferbookError } from '../errors.ts';
import { Offerbook } from '../offerbook.ts';
import { isServerUrl } from '../session.ts';
import type { Commands } from './command.ts';
import { DEFAULT_PROFILE, saveProfile } from './profiles.ts';
import { ask } from './terminal.ts';
import { UsageError } from './usage.ts';

export const LOGIN_COMMANDS: Commands = {
  login: {
    takes: '',
    about:
      'Check an API key and store it as a profile. The command reads the secret from OFFERBOOK_PASS or asks for it; the secret is never an argument.',
    options: {
      server: { value: 'url', about: 'URL of the server', required: true },
      user: { value: 'user', about: "API key's user name", required: true },
    },
    async run(run) {
      const [url = '', user = ''] = [run.text('server'), run.text('user')];
      if (!isServerUrl(url)) throw new UsageError('--server: must be a URL such as https://offers.example.');
      const pass = run.variables.OFFERBOOK_PASS || (await ask(`Secret for ${user}: `, { hidden: true }));
      if (!pass) throw new UsageError('The secret is missing: set OFFERBOOK_PASS.');
      try {
        await new Offerbook({ url, user, pass, signal: run.stopped }).call('GET', '/authcheck');
      } catch (error) {
        // The URL is another page of the server, such as its portal.
        const isElsewhere = error instanceof OfferbookError && (error.status === 404 || error.status === 405);
        if (!isElsewhere) throw error;
        throw new UsageError(`--server: no Offerbook API at ${url}. Leave out the path: ${new URL(url).origin}`);
      }
      const name = run.text('profile') ?? DEFAULT_PROFILE;
      const file = await saveProfile(run.variables, name, { url, user, pass });
      run.result({ profile: name, file }, () => `The API key works. Stored as profile ${name} in ${file}.`);
      return undefined;
    },
  },
};
