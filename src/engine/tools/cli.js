#!/usr/bin/env node
// The same program as `spec-served`, for `npx spec-served-cli init` where nothing is installed yet.
import 'spec-served/cli'
