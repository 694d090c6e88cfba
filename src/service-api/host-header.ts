// Which names a monitor answers to. A page in a browser can give a name of its own the address of this machine (DNS
// rebinding), so a name counts only if the user chose it.
import { isIP } from 'node:net';
import { isLoopback } from './loopback.ts';

/** `hosts`: all Host headers of a request. `listening`: the host that the user chose. */
export function isOwnHost(hosts: readonly string[], listening: string): boolean {
  const [host = ''] = hosts;
  if (hosts.length !== 1) return false;
  const [, name = '', port = '80'] =
    /^(\[[\da-f:.]+\]|[a-z\d._-]+)(?::([1-9]\d{0,4}))?$/i.exec(host) ?? [];
  if (Number(port) > 65_535) return false;
  const plain = name.toLowerCase().replace(/^\[|\]$/g, '');
  if (isLoopback(plain)) return true;
  return !isLoopback(listening) && (isIP(plain) !== 0 || plain === listening.toLowerCase());
}
