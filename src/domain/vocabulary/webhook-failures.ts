/** Why a webhook message was not sent at all. A message that was sent may fail for other reasons. */
export const NOT_SENT = Object.freeze({
  notPublic: 'The host has an address that is not on the public internet.',
  unknownHost: 'The host name cannot be resolved.',
});

export function wasSent(failure: string | null): boolean {
  return !Object.values(NOT_SENT).some((text) => text === failure);
}
