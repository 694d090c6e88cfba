// Pictures in 256 colours, for GIFs: each has a palette of its own, so that no picture waits for another.
import { type Av, must } from './library.ts';
import type { Converter } from './track.ts';
import type { Pace } from './encoding.ts';

export function palettesOf(av: Av, { width, height }: Pace): Converter {
  const graph = new av.FilterGraph();
  graph.alloc();
  graph.nbThreads = 1;
  const parsed = graph.parsePtr(
    `buffer@in=video_size=${width}x${height}:pix_fmt=rgba:time_base=1/100,split[a][b];` +
      '[a]scale=128:96:flags=area,palettegen=stats_mode=single:reserve_transparent=0[p];' +
      '[b][p]paletteuse=new=1:dither=bayer:bayer_scale=5,buffersink@out',
  );
  must(av, parsed, 'describe palettes');
  must(av, graph.configSync(), 'prepare palettes');
  const [source, sink] = [graph.getFilter('buffer@in'), graph.getFilter('buffersink@out')];
  if (source === null || sink === null) throw new Error('bug: palettes lead nowhere');
  const target = new av.Frame();
  target.alloc();
  let index = 0n;
  return {
    convert(frame) {
      target.unref();
      frame.pts = index;
      index += 1n;
      must(av, source.buffersrcAddFrameSync(frame), 'look for a palette');
      must(av, sink.buffersinkGetFrameSync(target), 'use a palette');
      return target;
    },
    close() {
      target.free();
      graph.free();
    },
  };
}
