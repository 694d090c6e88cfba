// /hub and /hub/projects: lists projects, shows one with its request and its outputs, and cancels projects (facts.md, Project
// records: `canceled`).
import type { FastifyInstance } from 'fastify';
import { extensionOf, mediaTypeOf } from '../../contract/api/asset.ts';
import { cancellation } from '../endpoints.ts';
import { orNotFound, RequestError } from '../errors.ts';
import type { ById, RouteDependencies } from '../http/app.ts';
import { sendFile } from '../http/files.ts';
import type { LedgerEntry } from '../options.ts';
import { localAccount } from '../store/accounts.ts';
import type { PresignedAddresses } from '../store/presigned-addresses.ts';
import { isStatus, recordOf, type StoredProject } from '../store/projects.ts';
import { beforeOf, choiceOf, fieldsOf, limitOf, sendChanged, sendFacts } from './exchange.ts';
import { badge, button, code, type Html, html, number, page, table, time } from './layout.ts';
import { deliveryTable, deliveryView } from './webhooks.ts';

interface ProjectsQuery {
  readonly account?: string;
  readonly status?: string;
  readonly limit?: string;
  readonly before?: string;
}

export function hubProjectRoutes(hub: FastifyInstance, dependencies: RouteDependencies): void {
  const { accounts, projects, deliveries, addresses, fileStore, jobs, clock } = dependencies;
  const viewOf = (project: StoredProject): ProjectView => projectView(project, addresses);

  hub.get('/', (request, reply) => {
    const overview = {
      accounts: accounts.all(),
      projects: projects.list({ limit: 24 }).map(viewOf),
    };
    return sendFacts(request, reply, overview, () => {
      const credits = overview.accounts[0]?.credits ?? 0;
      return overviewPage(credits, accounts.ledger(localAccount), overview.projects);
    });
  });
  hub.get<{ Querystring: ProjectsQuery }>('/projects', (request, reply) => {
    const { account } = request.query;
    const limit = limitOf(request.query.limit);
    const before = beforeOf(request.query.before);
    const status = choiceOf(request.query.status, isStatus, 'a status of a project');
    const list = projects.list({ account, status, limit, before }).map(viewOf);
    return sendFacts(request, reply, { projects: list }, () => projectsPage(list, limit));
  });
  hub.get<ById>('/projects/:id', (request, reply) => {
    const project = orNotFound(projects.find(request.params.id));
    const details = {
      ...viewOf(project),
      // With its defaults filled in.
      body: project.body,
      deliveries: deliveries.list({ project: project.id, limit: 500 }).map(deliveryView),
    };
    return sendFacts(request, reply, details, () => projectPage(details));
  });
  // Not by a presigned address, so that a look at the hub triggers no fault.
  hub.get<{ Params: { id: string; index: string } }>(
    '/projects/:id/outputs/:index',
    (request, reply) => {
      const { id, index } = request.params;
      const project = projects.find(id);
      const key = /^\d{1,6}$/.test(index) ? project?.files[Number(index)] : undefined;
      return sendFile(request, reply, orNotFound(key), fileStore);
    },
  );
  hub.post<ById>('/projects/:id/cancel', async (request, reply) => {
    const fields = fieldsOf(cancellation, request);
    const { id } = request.params;
    const project = orNotFound(projects.find(id));
    if (!(await projects.cancel(id, fields['refund'] !== false, clock.now())))
      throw new RequestError(409, `The project has already ended: ${project.status}.`);
    jobs.release(id);
    await fileStore.removeOutputs(id);
    const facts = viewOf(orNotFound(projects.find(id)));
    return sendChanged(request, reply, facts, `/hub/projects/${id}`);
  });
}

type ProjectView = ReturnType<typeof projectView>;

function projectView(project: StoredProject, addresses: PresignedAddresses) {
  const { seq, account, tool } = project;
  return { seq, account, tool, ...recordOf(project, addresses) };
}

function overviewPage(
  credits: number,
  entries: readonly LedgerEntry[],
  projects: readonly ProjectView[],
): string {
  const sum = (kind: LedgerEntry['kind']): number =>
    entries.reduce((all, entry) => all + (entry.kind === kind ? entry.credits : 0), 0);
  const figures: readonly (readonly [string, number])[] = [
    ['Credits left', credits],
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

function projectPage(
  project: ProjectView &
    Pick<StoredProject, 'body'> & {
      readonly deliveries: readonly ReturnType<typeof deliveryView>[];
    },
): string {
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
          ${downloads.map(({ url }, index) => html`<li>${player(outputPath(id, index), url, project.tool)}</li>`)}
        </ul>`,
    table(facts, '', { Field: ([field]) => field, Value: ([, value]) => code(value) }),
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
