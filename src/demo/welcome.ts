/** Builds the lines that `npm start` prints: addresses, the demo's credentials, and a call that works as printed. */
import { DEMO_CREDENTIALS } from './demo-merchant.ts';
import { DEMO_PASSWORD, DEMO_PEOPLE } from './demo-people.ts';

export function addressLines(url: string, listeningUrl: string, isPortalBuilt: boolean): string[] {
  const portal = isPortalBuilt ? `${url}/portal/` : `${url}/portal/ (not built yet)`;
  return [
    `API            ${url}`,
    `Docs           ${url}/docs/`,
    `API reference  ${url}/docs/api`,
    `Portal         ${portal}`,
    ...(listeningUrl === url ? [] : [`Listening on   ${listeningUrl}`]),
  ];
}

/** `images`: addresses that the review can fetch without a network. */
export function demoLines(url: string, images: readonly string[], hasShop: boolean): string[] {
  const { test, live } = DEMO_CREDENTIALS;
  const body = JSON.stringify({ user: test.user, pass: test.secret });
  return [
    '',
    'Demo merchant (this machine only):',
    `  test  user ${test.user}  secret ${test.secret}`,
    `  live  user ${live.user}  secret ${live.secret}`,
    '',
    'Sign in to the portal:',
    `  ${DEMO_PEOPLE.merchant} or ${DEMO_PEOPLE.operator}, password ${DEMO_PASSWORD}`,
    '',
    ...(hasShop ? ['See live offers in the shop:', `  ${url}/shop/`, ''] : []),
    'Request a token:',
    `  curl -s ${url}/token -d '${body}'`,
    '',
    ...(images.length === 0 ? [] : ['Sample images for offers:', ...images.map((address) => `  ${address}`), '']),
    'The quick start in README.md continues from here. Stop with Ctrl+C.',
  ];
}
