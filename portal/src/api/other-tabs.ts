/** In charge of telling the portal's other tabs that somebody has signed in or out: all tabs share one cookie. */
export type SessionNews = 'began' | 'ended';

/** Several portals may be served under one host, each with a cookie of its own. */
const channel = new BroadcastChannel(`offerbook-session ${new URL(document.baseURI).pathname}`);

export function tellOtherTabs(news: SessionNews): void {
  channel.postMessage(news);
}

export function whenOtherTabTells(callback: (news: SessionNews) => void): void {
  channel.addEventListener('message', ({ data }: MessageEvent<SessionNews>) => callback(data));
}
