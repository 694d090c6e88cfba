// The HTML of a report: nothing in it can leave its place, and nothing it loads is elsewhere.
import { describe, expect, test } from 'vitest';
import { bundlePage } from '../../../src/report/bundle.ts';
import { jsonInScript, reportDocument, reportMark } from '../../../src/report/page/document.ts';
import type { ReportData } from '../../../src/report/page/report-data.ts';

const nothing: ReportData = {
  ...{ pipeline: '</title><script>', at: '2026-11-22T00:00:00Z', rehearsal: false, running: false },
  ...{ inputs: true, steps: [], items: [], runs: [], spending: [], failures: [], doubts: [] },
  shared: { key: '', state: 'done', credits: 0, tasks: [], inputs: [], outputs: [] },
  credits: { charged: 0, reserved: 0 },
};

const page = { script: 'let x = 1', style: 'p {}', notices: 'htm --> (c)' };
const htmlOf = (pictures: readonly (string | undefined)[]): string =>
  [...reportDocument({ data: nothing, pictures, page, scriptHash: 'abc=' })].join('');

describe('the document', () => {
  test('begins with the mark by which shotlist knows its own reports', () => {
    expect(htmlOf([]).startsWith(reportMark)).toBe(true);
  });

  test('escapes what could end a script or a line in it', () => {
    const text = '</script><!-- & \u2028\u2029';
    const json = jsonInScript({ text });
    expect(json).not.toMatch(/[<>&\u2028\u2029]/);
    expect(JSON.parse(json)).toEqual({ text });
    expect(htmlOf([])).toContain(
      '<title>&#60;/title&#62;&#60;script&#62; · shotlist report</title>',
    );
  });

  test('allows one script, and no request to anything but files', () => {
    const [, policy = ''] = /Content-Security-Policy" content="([^"]+)"/.exec(htmlOf([])) ?? [];
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'sha256-abc='",
        'img-src data: file:',
      ]),
    );
    expect(policy).not.toMatch(/https?:|\*/);
  });

  test('ends with the licenses of the packages in the page', async () => {
    expect(htmlOf([])).toMatch(/<!--[^>]*htm - -> \(c\)\n-->\n<\/body><\/html>\n$/);
    const { notices } = await bundlePage();
    for (const name of ['@tanstack/virtual-core', 'htm', 'preact', 'uplot'])
      expect(notices).toMatch(new RegExp(`^${name}\n\n[^]*(MIT|Apache) License`, 'm'));
  });

  test('has the pictures in blocks of two hundred, the first before the script', () => {
    const html = htmlOf(Array.from({ length: 450 }, (_, n) => (n === 3 ? undefined : `p${n}`)));
    const blocks = [...html.matchAll(/id="pictures-(\d)">([^<]*)</g)];
    expect(blocks.map(([, number, text = '']) => [number, text.split('\n').length])).toEqual([
      ['0', 200],
      ['1', 200],
      ['2', 50],
    ]);
    expect(blocks[0]?.[2]).toMatch(/^p0\np1\np2\n\np4\n/);
    expect(html.indexOf('id="pictures-0"')).toBeLessThan(html.indexOf(page.script));
    expect(html.indexOf('id="pictures-1"')).toBeGreaterThan(html.indexOf(page.script));
  });
});
