// The starters for tools that need no files, in the order in which `init` proposes them.
import { prompt, texts } from './make-starter.ts';
import type { Starter } from './starter.ts';

export const promptStarters: readonly Starter[] = [
  texts(
    'ai-image-generator',
    `model: flux-schnell # the model decides the price: shotlist tools ai-image-generator
resolution: 640px
aspect_ratio: "1:1"
image_count: 1
style: { prompt: "${prompt}" }`,
    ['lighthouse', 'a lighthouse in a storm, oil on canvas'],
    ['harbor', 'a small harbor at dawn, fishing boats going out'],
  ),
  texts(
    'text-to-video',
    `model: ltx-2.3 # the model, the resolution and the seconds decide the price
resolution: 480p
aspect_ratio: "16:9"
end_seconds: 3 # the length of the video
style: { prompt: "${prompt}" }`,
    ['harbor', 'a small harbor at dawn, fishing boats going out'],
    ['tram', 'a yellow tram climbs a steep street in the rain'],
  ),
  texts(
    'ai-gif-generator',
    `output_format: gif # or mp4, webm
style: { prompt: "${prompt}" }`,
    ['cup', 'a cat knocks over a cup'],
    ['wave', 'a robot waves hello'],
  ),
  texts(
    'ai-meme-generator',
    `style: { template: Random, topic: "${prompt}" } # templates: shotlist tools ai-meme-generator`,
    ['monday', 'Monday morning meetings'],
    ['deploy', 'deploying on a Friday'],
  ),
  texts(
    'ai-qr-code-generator',
    `content: ${prompt}
style: { art_style: Watercolor }`,
    ['home', 'https://example.com'],
    ['menu', 'https://example.com/menu'],
  ),
  texts(
    'ai-voice-generator',
    `style: { voice_name: Morgan Freeman, prompt: "${prompt}" }`,
    ['welcome', 'Welcome! Please take a seat.'],
    ['goodbye', 'Thank you for your visit. See you soon.'],
  ),
  texts(
    'animation',
    `end_seconds: 2 # the length of the video
fps: 12
width: 512
height: 512
assets: { audio_source: none } # or file, with audio_file_path
style:
  art_style: Painterly Illustration
  camera_effect: Simple Zoom In
  transition_speed: 5
  prompt_type: custom
  prompt: ${prompt}`,
    ['lighthouse', 'a lighthouse in a storm'],
    ['forest', 'a path through a forest in autumn'],
  ),
];
