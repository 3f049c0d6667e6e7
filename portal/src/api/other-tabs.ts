/** Tells the portal's other tabs about a sign-in or sign-out, because all tabs share one cookie. */
export type SessionChange = 'began' | 'ended';

/** The name includes the path, because one host may serve several portals, each with its own cookie. */
const channel = new BroadcastChannel(`offerbook-session ${new URL(document.baseURI).pathname}`);

export function notifyOtherTabs(change: SessionChange): void {
  channel.postMessage(change);
}

export function whenOtherTabNotifies(callback: (change: SessionChange) => void): void {
  channel.addEventListener('message', ({ data }: MessageEvent<SessionChange>) => callback(data));
}
