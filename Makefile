# What people and CI type. The work is done by cargo and by the files in scripts/.

.DEFAULT_GOAL := help
.PHONY: help build trained install deb image run test test-long fuzz-http mutants bench bench-auth bench-auth-timing bench-hosting bench-rest fmt clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

build: ## Build the release binary, target/release/innkeeper
	@scripts/build

trained: ## Build target/trained/innkeeper: faster, and built twice
	@scripts/build-trained

install: ## Install the built binary, its manual pages, completions and units (PREFIX, DESTDIR)
	@scripts/install

deb: trained ## Make a Debian package in target/debian
	@scripts/deb

image: trained ## Make a container image with Podman
	@scripts/image

run: ## Install what is missing, build, and start everything on this machine
	@scripts/run

test: ## Install what is missing, then check format, lints and docs and run all tests
	@scripts/test

test-long: ## Run the tests that take minutes: hundreds of kills, a million hostile requests
	@scripts/test-long

fuzz-http: ## Send mutated requests down both HTTP paths and compare (FUZZ_SECONDS, FUZZ_SEED)
	@scripts/fuzz-http

mutants: ## Change the code that decides, and say which changes no test notices (AREA)
	@scripts/mutants $(AREA)

bench: bench-rest bench-auth bench-auth-timing bench-hosting ## Run all benchmarks

bench-auth: ## Measure the auth server beside @supabase/lite, pgbench and the bare driver
	@scripts/bench-auth

bench-auth-timing: ## Say whether the time of an answer tells who has an account
	@scripts/bench-auth --timing

bench-hosting: ## Measure the hosting server beside nginx with the same bytes as files
	@scripts/bench-hosting

bench-rest: ## Compare the REST framework with hyper, axum and actix-web
	@scripts/bench-rest

fmt: ## Format the code
	@cargo fmt --all

clean: ## Delete what was built
	cargo clean
	rm -rf benches/target
