"""The command as a process, with experiments for tests: runner_command.py RECORD paper ..."""

if __name__ == "__main__":
    import os
    import resource
    import sys

    from runner_jobs import cell, cells, experiment
    from untie.cli.app import main
    from untie_paper import experiments
    from untie_paper.run.experiment import Job

    record = sys.argv.pop(1)
    limit = int(os.environ.get("LARGEST_FILE", "-1"))
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    broken = Job(cell, {"number": 50, "does": "fail"})
    experiments.EXPERIMENTS[:] = [
        experiment("slow", cells(range(12), record, seconds=0.2), group="clustering"),
        experiment("broken", [*cells(range(40, 42), record), broken], group="figures"),
    ]
    main()
