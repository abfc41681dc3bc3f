{
    "name": "Bursar for OpenEduCat",
    "summary": "Collects the fees of OpenEduCat through Bursar",
    "version": "1.0.0",
    "category": "Education",
    "author": "Bursar",
    "license": "Other OSI approved licence",
    "depends": ["openeducat_fees", "account"],
    "external_dependencies": {"python": ["bursar"]},
    "data": ["security/ir.model.access.csv", "data/cron.xml", "views/views.xml"],
}
