// One item in full: its pictures, and everything that is known about them.
import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type {
  ItemState,
  Parameter,
  ReportData,
  ReportFile,
  ReportItem,
  ReportTake,
  ReportTask,
} from '../page/report-data.ts';
import { fieldValue } from './filter.ts';
import { causeOf, itemNumbered, resultOf, taskName, tookMs } from './item.ts';
import { isShown, pictureAddress, shownAddress } from './pictures.ts';
import { StateMark } from './state-mark.ts';
import { count, duration, longTime, shortTime, size, stateWords, whole } from './words.ts';

interface LightboxProps {
  readonly data: ReportData;
  readonly number: number;
  readonly title: string;
  readonly place: number;
  readonly of: number;
  readonly onStep: (by: 1 | -1) => void;
  readonly onClose: () => void;
}

export function Lightbox(props: LightboxProps): VNode {
  const { data, number, title, place, of, onStep, onClose } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const { current } = dialog;
    if (current?.open === false) current.showModal();
    return () => current?.close();
  }, []);
  const item = itemNumbered(data, number);
  const files = [...item.inputs, ...item.outputs];
  const [picked, pick] = useState<ReportFile | undefined>(undefined);
  const [compares, compare] = useState(false);
  const hasTakes = tasksWithTakes(item).length > 0;
  const result = resultOf(item);
  const shown =
    picked !== undefined && files.includes(picked) ? picked : (result ?? item.inputs[0]);
  const before = shown !== undefined && item.outputs.includes(shown) ? item.inputs[0] : undefined;
  const onKeyDown = (event: KeyboardEvent): void => {
    const { target } = event;
    const busy = target instanceof HTMLInputElement || target instanceof HTMLMediaElement;
    if (busy || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'ArrowRight' && place < of) onStep(1);
    else if (event.key === 'ArrowLeft' && place > 1) onStep(-1);
    else return;
    event.preventDefault();
  };
  return html`<dialog class="lightbox" ref=${dialog} aria-labelledby="lightbox-title" onClose=${onClose} onKeyDown=${onKeyDown}>
    <div class="inside">
      <div class="stage">
        <div class="head">
          <h2 id="lightbox-title">${title}</h2>
          <span class="small muted">${of > 1 ? `${whole(place)} of ${whole(of)}` : ''}</span>
          ${hasTakes ? html`<button type="button" class="icon-button" aria-pressed=${compares} onClick=${() => compare(!compares)}>Compare takes</button>` : null}
          <button type="button" class="icon-button" aria-disabled=${place <= 1} onClick=${() => place > 1 && onStep(-1)} aria-label="Previous item">←</button>
          <button type="button" class="icon-button" aria-disabled=${place >= of} onClick=${() => place < of && onStep(1)} aria-label="Next item">→</button>
          <button type="button" class="icon-button" onClick=${onClose} aria-label="Close">✕<span class="visually-hidden"> Close</span></button>
        </div>
        <div class="view-box">${
          hasTakes && compares
            ? html`<${Takes} data=${data} item=${item} />`
            : html`<${Compare} key=${number} before=${before} after=${shown} state=${item.state} title=${title} />`
        }</div>
        ${
          files.length > 1
            ? html`<div class="strip" role="group" aria-label="Files">
              ${files.map((file) => html`<${Small} file=${file} step=${data.steps[file.step]?.name ?? ''} pressed=${file === shown} onPick=${() => pick(file)} />`)}
            </div>`
            : null
        }
      </div>
      <div class="panel" tabindex="0" role="region" aria-label="Facts"><${ItemFacts} data=${data} item=${item} /></div>
    </div>
  </dialog>`;
}

interface SmallProps {
  readonly file: ReportFile;
  readonly step: string;
  readonly pressed: boolean;
  readonly onPick: () => void;
}

function Small({ file, step, pressed, onPick }: SmallProps): VNode {
  const address = pictureAddress(file.picture);
  const label = `${step}: ${file.name}`;
  return html`<button type="button" aria-pressed=${pressed} aria-label=${label} title=${label} onClick=${onPick}>
    <span class="frame" style=${{ display: 'block' }}>
      ${address === undefined ? html`<span class="blank">${file.medium === 'audio' ? '♪' : file.medium === 'video' ? '▶' : '▤'}</span>` : html`<img src=${address} alt="" />`}
    </span>
  </button>`;
}

// A result, and a slider over it that uncovers its input. The file beside the report replaces the small picture as soon
// as it is loaded; without the file, the small picture stays.

interface CompareProps {
  readonly before: ReportFile | undefined;
  readonly after: ReportFile | undefined;
  readonly state: ItemState;
  readonly title: string;
}

function Compare({ before, after, state, title }: CompareProps): VNode {
  const [split, move] = useState(50);
  const [ratio, measure] = useState(1.5);
  const first = pictureAddress(before?.picture);
  if (after === undefined)
    return html`<div class="compare"><div class="frame state-${state}"><span class="blank">
      <span class="glyph" aria-hidden="true">${stateWords[state].glyph}</span><span>${stateWords[state].word}: there is no file</span>
    </span></div></div>`;
  if (after.medium === 'audio' || after.medium === 'video')
    return html`<${Player} file=${after} />`;
  const pair = first !== undefined && pictureAddress(after.picture) !== undefined;
  return html`<div class="compare">
    <div class="frame" style=${{ '--split': `${split}%`, '--ratio': String(ratio) }}>
      <${Picture} file=${after} alt=${pair ? `${title}, after` : after.name} onRatio=${measure} />
      ${pair ? html`<${Before} address=${first} title=${title} split=${split} onMove=${move} />` : null}
    </div>
  </div>`;
}

interface BeforeProps {
  readonly address: string;
  readonly title: string;
  readonly split: number;
  readonly onMove: (split: number) => void;
}

function Before({ address, title, split, onMove }: BeforeProps): VNode {
  return html`<img class="over" src=${address} alt="${title}, before" />
    <span class="edge"></span><span class="handle" aria-hidden="true">↔</span>
    <span class="tag before">before</span><span class="tag after">after</span>
    <input type="range" min="0" max="100" step="1" value=${split} aria-label="Before and after"
      aria-valuetext="${split}% before" onInput=${(event: Event) => onMove(Number(fieldValue(event)))} />`;
}

interface PictureProps {
  readonly file: ReportFile;
  readonly alt: string;
  /** Called with the width by the height, once they are known. */
  readonly onRatio: (ratio: number) => void;
}

/** The small picture, and the file itself as soon as it is loaded. */
function Picture({ file, alt, onRatio }: PictureProps): VNode {
  const [missing, miss] = useState<string | undefined>(undefined);
  const small = shownAddress(file);
  const { href } = file;
  if (small === undefined)
    return html`<span class="blank"><span class="glyph" aria-hidden="true">▣</span><span>${file.name}</span></span>`;
  const large =
    href === undefined || href === small || missing === href || !isShown.test(href)
      ? undefined
      : href;
  return html`<img src=${small} alt=${alt} onLoad=${(event: Event) => onRatio(ratioOf(event))} />
    ${large === undefined ? null : html`<img key=${large} src=${large} alt="" onError=${() => miss(large)} />`}`;
}

const ratioOf = ({ currentTarget }: Event): number =>
  currentTarget instanceof HTMLImageElement && currentTarget.naturalHeight > 0
    ? currentTarget.naturalWidth / currentTarget.naturalHeight
    : 1.5;

function Player({ file }: { readonly file: ReportFile }): VNode {
  const { href, medium, name } = file;
  const poster = pictureAddress(file.picture);
  if (href === undefined)
    return html`<div class="compare"><div class="frame">
      ${poster === undefined ? null : html`<img src=${poster} alt=${name} />`}
      <span class="blank"><span class="glyph" aria-hidden="true">${medium === 'audio' ? '♪' : '▶'}</span><span>${name} is not beside this report</span></span>
    </div></div>`;
  return medium === 'audio'
    ? html`<audio controls src=${href} aria-label=${name}></audio>`
    : html`<div class="compare"><div class="frame"><video controls preload="metadata" src=${href} poster=${poster} aria-label=${name}></video></div></div>`;
}

// The facts about one item: its tasks, where its files come from, and what it cost.

function ItemFacts({
  data,
  item,
}: {
  readonly data: ReportData;
  readonly item: ReportItem;
}): VNode {
  const { shared } = data;
  const others = item === shared ? [] : shared.inputs;
  return html`<div>
    <${CauseBox} data=${data} item=${item} />
    <p class="lead">${causeOf(data, item) === undefined ? html`<${StateMark} state=${item.state} /> · ` : null}<span class="muted">${count(item.credits, 'credit')}</span></p>
    <h3>Steps</h3>
    <ul class="tasks">${item.tasks.map((task) => html`<${TaskRow} data=${data} task=${task} />`)}</ul>
    ${item.outputs.length > 0 ? html`<h3>Saved</h3>${item.outputs.map((file) => html`<${FileRow} data=${data} file=${file} />`)}` : null}
    ${item.inputs.length > 0 ? html`<h3>Made from</h3>${[...item.inputs, ...others].map((file) => html`<${FileRow} data=${data} file=${file} />`)}` : null}
  </div>`;
}

function CauseBox({
  data,
  item,
}: {
  readonly data: ReportData;
  readonly item: ReportItem;
}): VNode | null {
  const cause = causeOf(data, item);
  if (cause === undefined) return null;
  const { step, why, advice } = cause;
  return html`<div class="cause state-${item.state}">
    <p><${StateMark} state=${item.state} /> <span class="muted">in ${step}</span></p>
    <p>${why}</p>
    ${advice === undefined ? null : html`<p><b>What to do:</b> ${advice}.</p>`}
  </div>`;
}

function TaskRow({ data, task }: { readonly data: ReportData; readonly task: ReportTask }): VNode {
  const step = data.steps[task.step];
  const { ended, credits, project, fingerprint, parameters = [] } = task;
  const ms = tookMs(task);
  const took = ms === undefined ? '' : duration(ms);
  const price =
    task.shares === true ? 'shared' : credits === undefined ? '' : count(credits, 'credit');
  return html`<li>
    <div class="row">
      <b>${taskName(data, task)}</b><span class="muted">${step?.kind === step?.name ? '' : step?.kind}</span>
      <span class="push">${[took, price].filter((text) => text !== '').join(' · ')}</span>
      <${StateMark} state=${task.state} />
    </div>
    ${task.why === undefined ? null : html`<p class="why">${task.why}</p>`}
    ${
      fingerprint === undefined && project === undefined
        ? null
        : html`<details><summary>Provenance</summary><dl>
          ${project === undefined ? null : html`<dt>Project</dt><dd><${Copy} text=${project} /></dd>`}
          ${fingerprint === undefined ? null : html`<dt>Fingerprint</dt><dd><${Copy} text=${fingerprint} /></dd>`}
          ${ended === undefined ? null : html`<dt>Finished</dt><dd>${longTime(ended)}</dd>`}
          ${parameters.map(({ name, value }: Parameter) => html`<dt>${name}</dt><dd class="mono">${value}</dd>`)}
        </dl></details>`
    }
  </li>`;
}

function FileRow({ data, file }: { readonly data: ReportData; readonly file: ReportFile }): VNode {
  const { name, step, bytes, sha256, href } = file;
  return html`<dl style=${{ marginBottom: '12px' }}>
    <dt>${data.steps[step]?.name ?? 'file'}</dt>
    <dd>${href === undefined ? name : html`<a href=${href}>${name}</a>`}${bytes === undefined ? '' : `, ${size(bytes)}`}</dd>
    ${sha256 === undefined ? null : html`<dt>SHA-256</dt><dd><${Copy} text=${sha256} /></dd>`}
  </dl>`;
}

/** A click selects the whole text, so that one key copies it. */
function Copy({ text }: { readonly text: string }): VNode {
  return html`<span class="copy" onClick=${select}>${text}</span>`;
}

function select({ currentTarget }: Event): void {
  if (currentTarget instanceof Node) getSelection()?.selectAllChildren(currentTarget);
}

// The takes of a result, side by side.

/** The tasks of an item that have several takes. */
const tasksWithTakes = ({ tasks }: ReportItem): readonly ReportTask[] =>
  tasks.filter(({ takes = [] }) => takes.length > 1);

function Takes({ data, item }: { readonly data: ReportData; readonly item: ReportItem }): VNode {
  return html`<div class="takes">${tasksWithTakes(item).map((task) => {
    const label = taskName(data, task);
    return html`<section aria-label="Takes of ${label}">
      <h3>${label}</h3>
      <div class="row">${(task.takes ?? []).map((take) => html`<${Take} take=${take} step=${label} />`)}</div>
    </section>`;
  })}</div>`;
}

function Take({ take, step }: { readonly take: ReportTake; readonly step: string }): VNode {
  const { number, picked, credits, at, command, files, state } = take;
  const facts = [
    ...(credits === undefined ? [] : [count(credits, 'credit')]),
    ...(at === undefined ? [state] : [shortTime(at)]),
  ].join(' · ');
  return html`<figure class=${picked === true ? 'picked' : ''}>
    ${
      files.length === 0
        ? html`<div class="frame"><span class="blank">not saved here</span></div>`
        : files.map(
            (file) =>
              html`<div class="frame"><${Picture} file=${file} alt="${step}, take ${number}" onRatio=${() => undefined} /></div>`,
          )
    }
    <figcaption>
      <b>Take ${number}</b>${picked === true ? html` <span class="badge">picked</span>` : null}
      <span class="muted">${facts}</span>
      ${command === undefined ? null : html`<${Copy} text=${command} />`}
    </figcaption>
  </figure>`;
}
