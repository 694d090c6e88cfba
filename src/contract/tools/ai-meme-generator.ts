// ai-meme-generator: a meme about a topic (facts.md, Body fields of every creation endpoint).
import { flag, group, openList, text } from '../fields.ts';
import { eachPrompt, itemPrompt } from '../starter.ts';
import { listedTool } from '../tool.ts';

export const aiMemeGenerator = listedTool({
  name: 'ai-meme-generator',
  title: 'Make a meme about a topic',
  record: 'image',
  type: 'AI_MEME',
  medianSeconds: 9,
  description: 'Fills a meme template with a joke about a topic. 10 credits.',
  required: ['style'],
  fields: {
    style: group('The joke.', ['template', 'topic'], {
      template: openList(
        'The meme template.',
        'Bike Fall',
        'Change My Mind',
        'Disappointed Guy',
        'Drake Hotline Bling',
        'Galaxy Brain',
        "Gru's Plan",
        'Is This a Pigeon',
        'Panik Kalm Panik',
        'Random',
        'Side Eyeing Chloe',
        'Tuxedo Winnie The Pooh',
        'Two Buttons',
        'Waiting Skeleton',
      ),
      topic: text('The topic of the joke: up to 200 characters.', { minLength: 1, maxLength: 200 }),
      searchWeb: flag('Whether to search the web for the topic first.'),
    }),
  },
  price: { kind: 'flat', credits: 10 },
  priceExamples: [{ of: 'a meme', body: {} }],
  examples: [{ style: { template: 'Drake Hotline Bling', topic: 'the code finally works' } }],
  starter: eachPrompt(
    `style: { template: Random, topic: "${itemPrompt}" } # templates: shotlist tools ai-meme-generator`,
    ['monday', 'Monday morning meetings'],
    ['deploy', 'deploying on a Friday'],
  ),
});
