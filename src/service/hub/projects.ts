// /hub and /hub/projects: lists projects, shows one with its request and its outputs, and cancels projects (facts.md, Project
// records: `canceled`).
import type { FastifyInstance } from 'fastify';
import { extensionOf, mediaTypeOf } from '../../contract/api/asset.ts';
import { orNotFound, RequestError } from '../base/error-response.ts';
import type { LedgerEntry } from '../base/ledger-entry.ts';
import { cancellation } from '../endpoints/hub-requests.ts';
import type { Dependencies } from '../http/dependencies.ts';
import type { ById } from '../http/route-types.ts';
import { sendFile } from '../http/send-file.ts';
import { localAccount, type StoredAccount } from '../store/accounts.ts';
import { isStatus, type StoredProject } from '../store/project-row.ts';
import { beforeOf, fieldsOf, limitOf, sendChanged, sendFacts } from './exchange.ts';
import { badge, button, code, type Html, html, number, page, table, time } from './layout.ts';
import { type ProjectDetails, type ProjectView, projectDetails, projectView } from './views.ts';
import { deliveryTable } from './webhooks.ts';

type Output = { Params: { id: string; index: string } };
interface ProjectsQuery {
  readonly account?: string;
  readonly status?: string;
  readonly limit?: string;
  readonly before?: string;
}

export function hubProjectRoutes(hub: FastifyInstance, dependencies: Dependencies): void {
  const { accounts, projects, fileStore, release, clock } = dependencies;
  const viewOf = (project: StoredProject): ProjectView => projectView(project, dependencies);
  hub.get('/', (request, reply) => {
    const overview = {
      accounts: accounts.all(),
      projects: projects.list({ limit: 24 }).map(viewOf),
    };
    return sendFacts(request, reply, overview, () =>
      overviewPage(overview, accounts.ledger(localAccount)),
    );
  });
  hub.get<{ Querystring: ProjectsQuery }>('/projects', (request, reply) => {
    const { account, status } = request.query;
    const limit = limitOf(request.query.limit);
    const before = beforeOf(request.query.before);
    if (status !== undefined && !isStatus(status)) {
      const message = `${JSON.stringify(status)} is not a status of a project.`;
      throw new RequestError({ status: 400, message });
    }
    const list = projects.list({ account, status, limit, before }).map(viewOf);
    return sendFacts(request, reply, { projects: list }, () => projectsPage(list, limit));
  });
  hub.get<ById>('/projects/:id', (request, reply) => {
    const details = projectDetails(orNotFound(projects.find(request.params.id)), dependencies);
    return sendFacts(request, reply, details, () => projectPage(details));
  });
  // Not by a presigned address, so that a look at the hub triggers no fault.
  hub.get<Output>('/projects/:id/outputs/:index', (request, reply) => {
    const { id, index } = request.params;
    const project = projects.find(id);
    const key = /^\d{1,6}$/.test(index) ? project?.files[Number(index)] : undefined;
    return sendFile(request, reply, orNotFound(key), fileStore);
  });
  hub.post<ById>('/projects/:id/cancel', async (request, reply) => {
    const fields = fieldsOf(cancellation, request);
    const { id } = request.params;
    const project = orNotFound(projects.find(id));
    if (!(await projects.cancel(id, fields['refund'] !== false, clock.now())))
      throw new RequestError({
        status: 409,
        message: `The project has already ended: ${project.status}.`,
      });
    release(id);
    await fileStore.removeOutputs(id);
    const facts = viewOf(orNotFound(projects.find(id)));
    return sendChanged(request, reply, facts, { back: `/hub/projects/${id}` });
  });
}

// The first page of the hub.

interface Overview {
  readonly accounts: readonly StoredAccount[];
  readonly projects: readonly ProjectView[];
}

function overviewPage({ accounts, projects }: Overview, entries: readonly LedgerEntry[]): string {
  const sum = (kind: LedgerEntry['kind']): number =>
    entries.filter((entry) => entry.kind === kind).reduce((all, { credits }) => all + credits, 0);
  const figures: readonly (readonly [string, number])[] = [
    ['Credits left', accounts[0]?.credits ?? 0],
    ['Charged', sum('charge')],
    ['Refunded', sum('refund')],
  ];
  return page('Overview', '/hub', [
    html`<dl class="figures">
      ${figures.map(([name, value]) => html`<div><dt>${name}</dt><dd>${number(value)}</dd></div>`)}
    </dl>`,
    html`<h2>Newest projects</h2>`,
    projectCards(projects),
  ]);
}

// The pages of projects: a grid of pictures, and one project with its record, outputs and events.

function projectsPage(projects: readonly ProjectView[], limit: number): string {
  const last = projects.at(-1);
  const older =
    last !== undefined && projects.length === limit
      ? html`<p><a href=${`/hub/projects?limit=${limit}&before=${last.seq}`}>Older projects</a></p>`
      : null;
  return page('Projects', '/hub/projects', [projectCards(projects), older]);
}

function projectCards(projects: readonly ProjectView[]): Html {
  if (projects.length === 0)
    return html`<p class="empty">No projects yet. They appear here when a pipeline or a client creates them.</p>`;
  return html`<ul class="cards">
    ${projects.map(
      (project) => html`
        <li>
          <a class="picture" href=${`/hub/projects/${project.id}`}>${outputOf(project)}</a>
          <div class="words">
            <strong>${project.name}</strong>
            <div>${project.tool} · ${badge(project.status)}</div>
            <div class="dim">${number(project.credits_charged ?? 0)} credits · ${time(project.created_at)}</div>
          </div>
        </li>
      `,
    )}
  </ul>`;
}

function projectPage(project: ProjectDetails): string {
  const { id, name, downloads, body, deliveries, error, status } = project;
  const live = status === 'queued' || status === 'rendering';
  const facts: readonly (readonly [string, string])[] = [
    ['Id', id],
    ['Tool', project.tool],
    ['Type', project.type ?? '–'],
    ['Account', project.account],
    ['Credits charged', number(project.credits_charged ?? 0)],
    ['Size', project.width === undefined ? '–' : `${project.width} × ${project.height}`],
    ['Error', error === null || error === undefined ? '–' : `${error.code}: ${error.message}`],
    ['Enabled', project.enabled === false ? 'no (deleted)' : 'yes'],
  ];
  return page(name ?? id, '/hub/projects', [
    html`<p>${badge(status)} · created ${time(project.created_at)} ${live ? button(`/hub/projects/${id}/cancel`, 'Cancel') : null}</p>`,
    downloads.length === 0
      ? html`<p class="empty">No outputs.</p>`
      : html`<ul class="cards">
          ${downloads.map(({ url }, index) => {
            const path = outputPath(id, index);
            return html`<li>${player(path, url, project.tool)}</li>`;
          })}
        </ul>`,
    table(facts, { Field: ([field]) => field, Value: ([, value]) => code(value) }, ''),
    html`<h2>Request</h2>
      <pre><code>${JSON.stringify(body, null, 2)}</code></pre>
      <h2>Events</h2>`,
    deliveryTable(deliveries),
  ]);
}

function outputOf({ id, downloads, tool, status, enabled, error }: ProjectView): Html {
  const [first] = downloads;
  if (enabled === false) return html`<span>deleted</span>`;
  if (status === 'error' && error) return html`<span class="why">${error.message}</span>`;
  if (first === undefined) return html`<span>${status}</span>`;
  return media(outputPath(id, 0), first.url, tool);
}

const outputPath = (id: string, index: number): string => `/hub/projects/${id}/outputs/${index}`;

/** One output: clips and sounds can be played, other files opened. */
function player(path: string, url: string, what: string): Html {
  const extension = extensionOf(new URL(url).pathname);
  const type = extension === 'gif' ? 'image' : mediaTypeOf(extension);
  const label = `Output of ${what}`;
  if (type === 'video')
    return html`<div class="picture"><video src=${path} aria-label=${label} controls loop preload="metadata"></video></div>`;
  if (type === 'audio')
    return html`<div class="words"><audio src=${path} aria-label=${label} controls preload="metadata"></audio></div>`;
  return html`<a class="picture" href=${path}>${media(path, url, what)}</a>`;
}

/** A picture, a clip or a sound, by the extension of its address. */
function media(path: string, url: string, what: string): Html {
  const extension = extensionOf(new URL(url).pathname);
  const type = mediaTypeOf(extension);
  if (type === 'image' || extension === 'gif')
    return html`<img src=${path} alt=${`Output of ${what}`} loading="lazy" />`;
  if (type === 'video') return html`<video src=${path} muted preload="metadata"></video>`;
  return html`<span>${type === 'audio' ? 'sound' : 'file'}</span>`;
}
