import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import type { FastifyPluginAsync } from 'fastify'
import fp from 'fastify-plugin'

/** Header fields for pages: every reply has them, as fastify-plugin makes these hooks those of all routes. */
const pages: FastifyPluginAsync = async app => {
  await app.register(helmet)
  await app.register(cors, { origin: 'https://reading-room.example', methods: ['GET', 'POST', 'PUT'] })
}

export default fp(pages)
