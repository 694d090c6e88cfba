// A photo of a newer telephone: a JPEG with a second one behind it, which says where a bright screen may shine. What is
// seen is the first.
import sharp from 'sharp';
import { segment } from './jpeg.ts';
import { uint32 } from './png.ts';
import { motif, motifSeen, type Specimen, sharpOfRaster } from './specimen.ts';

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

/** A segment of XMP that says what the gain map's standard asks for. */
function described(attributes: string, inside = ''): Buffer {
  const names = Object.entries({
    rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
    Container: 'http://ns.google.com/photos/1.0/container/',
    Item: 'http://ns.google.com/photos/1.0/container/item/',
    hdrgm: 'http://ns.adobe.com/hdr-gain-map/1.0/',
  }).map(([name, space]) => `xmlns:${name}="${space}"`);
  const about = `<rdf:Description hdrgm:Version="1.0" ${attributes}>${inside}</rdf:Description>`;
  return segment(
    0xe1,
    latin(
      `http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x="adobe:ns:meta/" ${names.join(' ')}><rdf:RDF>${about}</rdf:RDF></x:xmpmeta>`,
    ),
  );
}

const item = (words: string): string =>
  `<rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="image/jpeg" ${words}/></rdf:li>`;

/** Behind the first two bytes of a JPEG. */
const inserted = (file: Buffer, ...segments: readonly Buffer[]): Buffer =>
  Buffer.concat([file.subarray(0, 2), ...segments, file.subarray(2)]);

/** The list of pictures in a file (CIPA DC-007): tags, then length and place of each, counted from the list. */
function listed(first: number, second: number, place: number): Buffer {
  const tag = (words: string, value: Buffer): Buffer =>
    Buffer.concat([Buffer.from(words.replaceAll(' ', ''), 'hex'), value]);
  return segment(
    0xe2,
    Buffer.concat([
      latin('MPF\0MM\0*'),
      uint32(8),
      Buffer.from([0, 3]),
      tag('b000 0007 00000004', latin('0100')),
      tag('b001 0004 00000001', uint32(2)),
      tag('b002 0007 00000020', uint32(50)),
      uint32(0),
      ...[0x30000, first, 0, 0, 0, second, place, 0].map(uint32),
    ]),
  );
}

export async function ultraHdr(): Promise<Specimen> {
  const base = await sharpOfRaster(motif()).jpeg({ quality: 95 }).toBuffer();
  const grey = sharp({ create: { width: 64, height: 48, channels: 3, background: '#888' } });
  const gain = inserted(
    await grey.toColourspace('b-w').jpeg().toBuffer(),
    described('hdrgm:GainMapMax="2" hdrgm:HDRCapacityMax="2" hdrgm:BaseRenditionIsHDR="False"'),
  );
  const items = [
    item('Item:Semantic="Primary"'),
    item(`Item:Semantic="GainMap" Item:Length="${gain.length}"`),
  ];
  const directory = `<Container:Directory><rdf:Seq>${items.join('')}</rdf:Seq></Container:Directory>`;
  const words = described('', directory);
  const length = base.length + words.length + listed(0, 0, 0).length;
  // Counted from behind the list's name.
  const list = listed(length, gain.length, length - (2 + words.length + 8));
  return {
    name: 'ultra-hdr.jpg',
    bytes: Buffer.concat([inserted(base, words, list), gain]),
    expected: motifSeen(20),
  };
}
