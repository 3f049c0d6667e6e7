/** Tests which URLs are fetched, followed and allowed. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AllowedHosts, isAllowedHostEntry } from '../../../outbound/allowed-hosts.ts';
import { fetchableAddress, redirectTarget } from './image-address.ts';

describe('fetchableAddress', () => {
  it('accepts http and https, and drops the fragment', () => {
    assert.equal(fetchableAddress('http://a.example/b.jpg?c=d#e')?.href, 'http://a.example/b.jpg?c=d');
    assert.equal(fetchableAddress('HTTPS://A.example:8443/')?.href, 'https://a.example:8443/');
  });

  for (const text of [
    'ftp://a.example/b.jpg',
    'file:///etc/passwd',
    'data:image/png;base64,AA==',
    'gopher://a.example/',
    'javascript:alert(1)',
    'blob:https://a.example/1',
    '//a.example/b.jpg',
    'a.example/b.jpg',
    'http://',
    '',
  ]) {
    it(`refuses ${text || 'an empty address'}`, () => assert.equal(fetchableAddress(text), undefined));
  }

  it('refuses credentials', () => {
    for (const text of ['http://user@a.example/', 'http://user:secret@a.example/', 'https://:secret@a.example/']) {
      assert.equal(fetchableAddress(text), undefined, text);
    }
  });

  it('accepts 2,048 characters and refuses one more', () => {
    const address = 'http://a.example/'.padEnd(2_048, 'x');
    assert.notEqual(fetchableAddress(address), undefined);
    assert.equal(fetchableAddress(`${address}x`), undefined);
  });

  it('unifies the spellings of one IP address', () => {
    for (const host of ['2130706433', '0x7f000001', '0177.0.0.1', '0x7f.1', '127.1', '0177.0x0.0.01', '127。0。0。1']) {
      assert.equal(fetchableAddress(`http://${host}/`)?.hostname, '127.0.0.1', host);
    }
  });
});

describe('redirectTarget', () => {
  const open = new URL('http://a.example/b/c.jpg');
  const encrypted = new URL('https://a.example/b/c.jpg');

  it('follows relative URLs, and from http to https', () => {
    assert.equal(redirectTarget('../d.jpg', open)?.href, 'http://a.example/d.jpg');
    assert.equal(redirectTarget('https://b.example/', open)?.href, 'https://b.example/');
    assert.equal(redirectTarget('//b.example/', encrypted)?.href, 'https://b.example/');
  });

  it('follows neither to another scheme, nor from https to http, nor to credentials', () => {
    assert.equal(redirectTarget('file:///etc/passwd', open), undefined);
    assert.equal(redirectTarget('ftp://b.example/', open), undefined);
    assert.equal(redirectTarget('http://a.example/', encrypted), undefined);
    assert.equal(redirectTarget('https://user:secret@b.example/', open), undefined);
  });
});

describe('AllowedHosts', () => {
  it('allows a host at any port, and a host with a port at that one', () => {
    const allowed = new AllowedHosts(['Images.Intranet', '127.0.0.1:8080', '[::1]:80', '10.0.0.9']);
    assert.equal(allowed.has('images.intranet', 443), true);
    assert.equal(allowed.has('127.0.0.1', 8080), true);
    assert.equal(allowed.has('[::1]', 80), true);
    assert.equal(allowed.has('::1', 80), true);
    assert.equal(allowed.has('10.0.0.9', 9), true);
  });

  it('allows nothing else', () => {
    const allowed = new AllowedHosts(['images.intranet', '127.0.0.1:8080']);
    assert.equal(allowed.has('127.0.0.1', 8081), false);
    assert.equal(allowed.has('a.images.intranet', 80), false);
    assert.equal(allowed.has('images.intranet.example', 80), false);
    assert.equal(new AllowedHosts().has('127.0.0.1', 80), false);
  });

  it('refuses entries that are more than a host', () => {
    for (const entry of ['a.example', 'a.example:1', '[::1]', '[::1]:443', '10.1.2.3']) {
      assert.equal(isAllowedHostEntry(entry), true, entry);
    }
    for (const entry of ['', 'http://a.example', 'a.example/b', 'user@a.example', '::1', 'a b', 'a:99999']) {
      assert.equal(isAllowedHostEntry(entry), false, entry);
    }
    assert.throws(() => new AllowedHosts(['http://a.example']));
  });
});
