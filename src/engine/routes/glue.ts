import { Validator } from '@seriousme/openapi-schema-validator'
import glue from 'fastify-openapi-glue'

/**
 * The glue holds what it is given against a JSON Schema of OpenAPI, which takes Ajv a quarter of a start to compile. All
 * that it is given here is made of a model, whose document was refused if it had to be; so it is taken as it is.
 */
Validator.prototype.validate = async function (specification) {
  if (typeof specification === 'string') return { valid: false, errors: 'No texts are read here' }
  this.specification = specification
  this.version = '3.0'
  return { valid: true }
}

export { glue }
