import { bodyOf, inPath, inQuery, type Make, replies } from './make.ts'
import { program } from './program.ts'

const fields = {
  title: { type: 'string', minLength: 1, maxLength: 50, title: 'Title' },
  done: { type: 'boolean', title: 'Done', default: false },
  effort: { anyOf: [{ type: 'integer', minimum: 0, maximum: 100 }, { type: 'null' }], title: 'Effort' },
}
const task = { $ref: '#/components/schemas/Task' }
const refusals = { 422: replies('Validation Error', { type: 'object', title: 'HTTPValidationError' }) }
const missing = replies('Not Found', { type: 'object' })
const byId = { parameters: [inPath('task_id', { type: 'integer', minimum: 1, title: 'Task Id' })] }
const orders = ['id_asc', 'id_desc', 'effort_asc', 'effort_desc']

/** Tasks, as FastAPI writes them. */
const document = {
  openapi: '3.1.0',
  info: { title: 'FastAPI', version: '0.1.0' },
  components: {
    schemas: {
      TaskCreate: { type: 'object', title: 'TaskCreate', required: ['title'], properties: fields },
      TaskUpdate: { type: 'object', title: 'TaskUpdate', properties: fields },
      Task: {
        type: 'object',
        title: 'Task',
        required: ['id', 'title', 'done'],
        properties: { id: { type: 'integer', title: 'Id' }, ...fields },
      },
    },
  },
  paths: {
    '/tasks/': {
      get: {
        operationId: 'list_tasks_tasks__get',
        parameters: [
          inQuery('skip', { type: 'integer', minimum: 0, default: 0 }),
          inQuery('limit', { type: 'integer', minimum: 1, maximum: 100, default: 100 }),
          inQuery('done', { anyOf: [{ type: 'boolean' }, { type: 'null' }] }),
          inQuery('sort_by', { type: 'string', enum: orders, default: 'id_asc' }),
        ],
        responses: { 200: replies('Successful Response', { type: 'array', items: task }), ...refusals },
      },
      post: {
        operationId: 'create_task_tasks__post',
        requestBody: bodyOf({ $ref: '#/components/schemas/TaskCreate' }),
        responses: { 201: replies('Successful Response', task), ...refusals },
      },
    },
    '/tasks/{task_id}': {
      get: {
        operationId: 'read_task',
        ...byId,
        responses: { 200: replies('Successful Response', task), ...refusals },
      },
      patch: {
        operationId: 'update_task',
        ...byId,
        requestBody: bodyOf({ $ref: '#/components/schemas/TaskUpdate' }),
        responses: { 200: replies('Successful Response', task), 404: missing, ...refusals },
      },
      delete: {
        operationId: 'delete_task',
        ...byId,
        responses: { 204: { description: 'Successful Response' }, 404: missing, ...refusals },
      },
    },
  },
}

export const tasks: Make = {
  document,
  auth: [],
  faults: {
    skip: /^list_tasks_tasks__get: skip=1 begins with \d+, and the second record is \d+/,
    filter: /^list_tasks_tasks__get: done=(true|false) gives records with done (true|false)/,
    order: /^list_tasks_tasks__get: sort_by=\w+_desc gives \w+ as /,
    'removal of nothing':
      /^delete_task: a removal of a record that nobody made is answered 204, and 404 is declared/,
    'removal is forgotten': /^read_task: it was removed by delete_task, and is read as before/,
    'patch takes away': /^update_task: effort is taken away by a change of /,
  },
  start: fault => program('python3', ['tasks.py', fault ?? '']),
}
